// Applies a migration to the database at argv[2] that takes far longer than the parent lets it live.
import { createPostgresDriver } from '../src/create-postgres-driver.ts';
import { migrations } from '../src/migrations/migrations.ts';

const slow = { number: migrations.length + 1, name: 'slow', sql: 'CREATE TABLE half (id TEXT); SELECT pg_sleep(55);' };

const driver = createPostgresDriver({
  url: process.argv[2],
  clock: { now: () => new Date() },
  maxConnections: 1,
  migrations: [...migrations, slow],
});
process.once('disconnect', () => process.exit());
await driver.migrate();
