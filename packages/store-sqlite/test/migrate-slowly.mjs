// Applies a migration to the database at argv[2] that takes far longer than the parent lets it live.
import { createSqliteDriver } from '../src/create-sqlite-driver.ts';
import { migrations } from '../src/migrations/migrations.ts';

const slow = {
  number: migrations.length + 1,
  name: 'slow',
  sql: `
    CREATE TABLE half (n INTEGER PRIMARY KEY) STRICT;
    WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 20000000)
    INSERT INTO half SELECT n FROM more;`,
};

const clock = { now: () => new Date() };
const driver = createSqliteDriver({
  path: process.argv[2],
  clock,
  synchronous: 'FULL',
  migrations: [...migrations, slow],
});
process.once('disconnect', () => process.exit());
await driver.migrate();
