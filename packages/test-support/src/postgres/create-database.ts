import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { inject } from 'vitest';
import { lookUp } from '../lookup/lookup.ts';

/** A database of a test. */
export interface PostgresDatabase {
  readonly url: string;
  /** Cuts the connections to it, and empties it for another test. */
  drop(): Promise<void>;
}

/**
 * Creates an empty database.
 *
 * @param given - the URL of a server. Default: that of this run, or of its project
 */
export function createPostgresDatabase(given?: string): Promise<PostgresDatabase> {
  return create(empty, given);
}

/**
 * Creates a database that stores of this project migrate, whose schema may be there from an earlier test, without rows
 * and without entities: most of a test's time on Postgres would go into making the same tables.
 */
export function createMigratedDatabase(): Promise<PostgresDatabase> {
  return create(migrated);
}

/** How databases that tests are done with become those of other tests. */
interface Reuse {
  /** Empties one. */
  readonly statement: string;
  /** By servers: to create one takes several times as long, with a checkpoint for all. */
  readonly idle: Map<string, string[]>;
}

const empty: Reuse = { statement: 'DROP SCHEMA public CASCADE; CREATE SCHEMA public', idle: new Map() };

/** Rows are deleted without triggers, in any order of the tables. */
const migrated: Reuse = {
  statement: `SET session_replication_role = replica;
    DO $$ DECLARE found text; BEGIN
      FOR found IN SELECT oid::regclass FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
        IF found !~ '^(auth|access|live)_' THEN EXECUTE 'DROP TABLE ' || found || ' CASCADE';
        ELSIF found <> 'auth_migrations' THEN EXECUTE 'DELETE FROM ' || found;
        END IF;
      END LOOP;
      FOR found IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        AND oid NOT IN (SELECT tgfoid FROM pg_trigger) LOOP EXECUTE 'DROP FUNCTION ' || found;
      END LOOP;
    END $$`,
  idle: new Map(),
};

async function create({ statement, idle }: Reuse, given?: string): Promise<PostgresDatabase> {
  const lookup = inject(inject('isOnPostgres15') ? 'postgres15Lookup' : 'postgresLookup');
  const server = given ?? (await lookUp(lookup, 'No Postgres to test with'));
  const idleHere = idle.get(server) ?? [];
  idle.set(server, idleHere);
  const execute: Execute = given === undefined ? keepConnection(server) : (text) => executeOnce(server, text);
  const name = idleHere.pop() ?? (await createNew(execute));
  return {
    url: toUrl(server, name),
    drop: async () => {
      const next = newName();
      await shutOut(execute, name, next);
      await executeOnce(toUrl(server, next), statement);
      idleHere.push(next);
    },
  };
}

/** Runs a statement on the database `postgres` of a server. */
type Execute = (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

async function createNew(execute: Execute): Promise<string> {
  const name = newName();
  const [{ number } = { number: 0 }] = await execute("SELECT current_setting('server_version_num') AS number");
  const strategy = Number(number) >= 150_000 ? 'STRATEGY file_copy' : '';
  // No client can connect to template0, unlike template1, so tests in parallel can all copy it.
  await execute(`CREATE DATABASE ${name} TEMPLATE template0 ${strategy}`);
  return name;
}

/** Cuts all connections to a database, and takes its name, by which late comers would find it, and its settings. */
async function shutOut(execute: Execute, name: string, next: string): Promise<void> {
  await execute(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await execute(`SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`);
  await execute(`ALTER DATABASE ${name} RENAME TO ${next}; ALTER DATABASE ${next} RESET ALL`);
  await execute(`ALTER DATABASE ${next} ALLOW_CONNECTIONS true`);
}

function newName(): string {
  return `${inject('postgresPrefix')}${randomBytes(8).toString('hex')}`;
}

function toUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = name;
  return url.href;
}

/** The connections that a worker keeps to the server of the run: to connect takes longer than most statements. */
let kept: Pool | undefined;

function keepConnection(server: string): Execute {
  const pool = (kept ??= openPool(server));
  return async (text) => (await pool.query<Record<string, unknown>>(text)).rows;
}

function openPool(server: string): Pool {
  const pool = new Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true });
  // The next statement replaces a connection that was lost.
  return pool.on('error', () => undefined);
}

async function executeOnce(url: string, text: string): ReturnType<Execute> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
