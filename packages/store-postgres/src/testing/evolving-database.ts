import type { Stores } from '@x/store';
import { createSqlStores } from '@x/store-sql';
import { type EvolvingDatabase, patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import { startKillable } from '@x/test-support/programs';
import pg from 'pg';
import { createPostgresDriver } from '../create-postgres-driver.ts';
import { migrations as schema } from '../migrations/migrations.ts';

/** Makes a database whose declared entities change. After its test it is emptied and used again. */
export async function createEvolvingDatabase(): Promise<EvolvingDatabase> {
  const { url, empty } = idle.pop() ?? (await createWithSchema());
  const opened: Stores[] = [];
  return {
    async open(entities, migrations = [], changes = true) {
      const clock = new ManualClock();
      const driver = createPostgresDriver({ url, maxConnections: 10, migrations: schema, patience: patient, clock });
      const stores = createSqlStores({ driver, clock, entities, migrations, changes });
      opened.push(stores);
      return stores;
    },
    startMigration: (batches) =>
      startKillable(new URL('../../test/convert.mjs', import.meta.url), url, String(batches)),
    async drop() {
      await Promise.all(opened.map((stores) => stores.close()));
      await empty();
      idle.push({ url, empty });
    },
  };
}

/** A database with the schema of the stores, and a function that resets it to that. */
interface Kept {
  readonly url: string;
  readonly empty: () => Promise<void>;
}

/** Databases of ended tests. They end with the server of the run. */
const idle: Kept[] = [];

async function createWithSchema(): Promise<Kept> {
  const { url } = await createPostgresDatabase();
  const own = { url, maxConnections: 1, migrations: schema, patience: patient };
  const driver = createPostgresDriver({ ...own, clock: new ManualClock() });
  await driver.migrate();
  await driver.close();
  const execute = async (text: string): Promise<void> => {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(text);
    await client.end();
  };
  await execute(noteSchema);
  return { url, empty: () => execute(returnToSchema) };
}

const listTables = `SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`;
const listFunctions = `SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace`;

const noteSchema = `
  CREATE SCHEMA noted;
  CREATE TABLE noted.tables AS ${listTables};
  CREATE TABLE noted.functions AS ${listFunctions}`;

/** Ends statements of killed processes, and removes the tables of tests with their triggers. */
const returnToSchema = `DO $$ DECLARE added text; BEGIN
  PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
  FOR added IN SELECT oid::regclass FROM (${listTables}) AS found WHERE oid NOT IN (SELECT oid FROM noted.tables) LOOP
    EXECUTE 'DROP TABLE ' || added || ' CASCADE';
  END LOOP;
  FOR added IN SELECT oid::regprocedure FROM (${listFunctions}) AS found WHERE oid NOT IN (SELECT oid FROM noted.functions) LOOP
    EXECUTE 'DROP FUNCTION ' || added || ' CASCADE';
  END LOOP;
  FOR added IN SELECT oid::regclass FROM noted.tables WHERE relname <> 'auth_migrations' LOOP
    EXECUTE 'DELETE FROM ' || added;
  END LOOP;
END $$`;
