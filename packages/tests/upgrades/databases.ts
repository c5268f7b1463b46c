import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Stores } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import { createSqliteStores } from '@x/store-sqlite';
import { patient } from '@x/store-testing';
import { ManualClock } from '@x/store-testing/clock';
import { createPostgresDatabase } from '@x/test-support/database';
import pg from 'pg';
import { entityTables as entities, migrations } from './sample-app.ts';

/** The version of this release, if its databases are to be written. */
export const newRelease: string | undefined = process.env['NEW_RELEASE'];

type Row = Readonly<Record<string, unknown>>;

/** The rows of every table, by its name. */
type Rows = Readonly<Record<string, readonly Row[]>>;

/** An empty database, its stores, and what else it does for a release. */
export interface Database {
  readonly stores: Stores;
  /** Notes from now on what a dump needs. */
  startDump(): Promise<void>;
  /** Returns statements that make a database with the same tables and rows. */
  dump(): Promise<string>;
  /** Runs the statements of a dump. */
  load(dump: string): Promise<void>;
  readRows(): Promise<Rows>;
  drop(): Promise<void>;
}

/** Makes an empty database. */
export const createDatabase: Readonly<Record<'sqlite' | 'postgres', () => Promise<Database>>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), 'upgrades-'));
    const path = join(folder, 'app.db');
    const database = new DatabaseSync(path);
    const all = (sql: string): readonly Row[] => database.prepare(sql).all();
    return {
      stores: createSqliteStores({ path, ...storeOptions() }),
      startDump: async () => undefined,
      dump: async () => dumpSqlite(all),
      load: async (dump) => database.exec(dump),
      readRows: async () =>
        Object.fromEntries(listSqliteTables(all).map((table) => [table, all(`SELECT * FROM "${table}"`)])),
      async drop() {
        database.close();
        await rm(folder, { recursive: true });
      },
    };
  },

  async postgres() {
    const database = await createPostgresDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    const all = async (sql: string): Promise<readonly Row[]> => (await client.query<Row>(sql)).rows;
    return {
      stores: createPostgresStores({ url: database.url, ...storeOptions() }),
      startDump: async () => void (await client.query(noteStatements)),
      dump: () => dumpPostgres(all),
      load: async (dump) => void (await client.query(dump)),
      async readRows() {
        const rows: Record<string, readonly Row[]> = {};
        for (const table of await listPostgresTables(all)) rows[table] = await all(`SELECT * FROM "${table}"`);
        return rows;
      },
      async drop() {
        await client.end();
        await database.drop();
      },
    };
  },
};

const storeOptions = () =>
  ({ clock: new ManualClock(), patience: patient, entities, migrations, changes: true }) as const;

function dumpSqlite(all: (sql: string) => readonly Row[]): string {
  const rows = listSqliteTables(all).flatMap((table) => {
    const columns = all(`SELECT name FROM pragma_table_info('${table}')`).map(({ name }) => `"${String(name)}"`);
    const values = columns.map((column) => `quote(${column})`).join(` || ', ' || `);
    const inserts = all(`SELECT ${values} AS row FROM "${table}"`);
    return inserts.map(({ row }) => `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${String(row)})`);
  });
  const schemaOf = (condition: string): readonly string[] =>
    all(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND ${condition}`).map(
      ({ sql }) => String(sql),
    );
  // Triggers come after the rows that they have written.
  const statements = [...schemaOf("type = 'table'"), ...rows, ...schemaOf("type <> 'table'")];
  return `PRAGMA foreign_keys = OFF;\n${statements.join(';\n')};\nPRAGMA foreign_keys = ON;\n`;
}

function listSqliteTables(all: (sql: string) => readonly Row[]): readonly string[] {
  const tables = all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
  return tables.map(({ name }) => String(name));
}

/** Keeps the texts of statements that change the schema, since npm has no `pg_dump`. */
const noteStatements = `
  CREATE SCHEMA noted;
  CREATE TABLE noted.statements (number BIGINT GENERATED ALWAYS AS IDENTITY, sent_at TIMESTAMPTZ, text TEXT);
  CREATE FUNCTION noted.note() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO noted.statements (sent_at, text) VALUES (statement_timestamp(), current_query());
  END $$;
  CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION noted.note()`;

async function dumpPostgres(all: (sql: string) => Promise<readonly Row[]>): Promise<string> {
  // One text may change several things.
  const schema = await all('SELECT text FROM noted.statements GROUP BY sent_at, text ORDER BY min(number)');
  const inserts: string[] = [];
  for (const table of await listPostgresTables(all)) {
    const columns = await all(`SELECT quote_ident(attname) AS name, attidentity <> '' AS counts FROM pg_attribute
      WHERE attrelid = '"${table}"'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`);
    const names = columns.map(({ name }) => name).join(', ');
    const [row] = await all(`SELECT quote_literal(json_agg(each)) AS rows FROM "${table}" AS each`);
    if (typeof row?.['rows'] !== 'string') continue;
    inserts.push(`INSERT INTO "${table}" (${names}) OVERRIDING SYSTEM VALUE
      SELECT ${names} FROM json_populate_recordset(NULL::"${table}", ${row['rows']})`);
    for (const { name } of columns.filter(({ counts }) => counts)) {
      const sequence = `pg_get_serial_sequence('"${table}"', '${String(name)}')`;
      inserts.push(`SELECT setval(${sequence}, (SELECT max(${String(name)}) FROM "${table}"))`);
    }
  }
  // A dump is run as one transaction. Rows have what triggers have written.
  const changes = schema.map(({ text }) => String(text).replace(' CONCURRENTLY', ''));
  const texts = [...changes, 'SET session_replication_role = replica', ...inserts];
  return `${texts.join(';\n')};\nRESET session_replication_role;\n`;
}

async function listPostgresTables(all: (sql: string) => Promise<readonly Row[]>): Promise<readonly string[]> {
  const tables = await all(`SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY oid`);
  return tables.map(({ relname }) => String(relname));
}
