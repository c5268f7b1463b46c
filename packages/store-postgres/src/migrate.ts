import type { Clock } from '@x/store';
import { applyNextMigration, type Migration, type MigrationScope, type SqlRow, type SqlValues } from '@x/store-sql';
import pg from 'pg';

import { closeClient } from './close-client.ts';
import { connectMs } from './limits.ts';
import { toStoreError } from './to-store-error.ts';

/** What a migration run needs. */
export interface MigrationRun {
  readonly url: string;
  readonly clock: Clock;
  readonly migrations: readonly Migration[];
  /** What is to follow the migrations, in a transaction too. */
  readonly andThen?: (scope: MigrationScope) => Promise<void>;
}

/** How long a statement may take, the wait for the migrations of another process included. */
const migrationMs = 60_000;

const sessionSettings = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
  .map((name) => `SET ${name} = ${migrationMs}`)
  .join('; ');

/** The advisory lock that migrations of one database take turns by; any number that nobody else would think of. */
const lockKey = 7_281_643_905;

const createBookkeeping = `
  CREATE TABLE IF NOT EXISTS auth_migrations (
    number BIGINT NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    checksum TEXT COLLATE "C" NOT NULL,
    applied_at BIGINT NOT NULL
  )`;

/**
 * Applies every missing migration, each in a transaction that also looks up which one it is. Processes take turns, and
 * whatever a process that dies had begun is undone by the server.
 */
export async function migrate({ url, clock, migrations, andThen }: MigrationRun): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectMs,
    query_timeout: migrationMs,
    keepAlive: true,
  });
  // A connection that is lost is told by the statement that it was lost under.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(sessionSettings);
    // What a process that died was in the middle of ends at once, not with its statement. A server on Windows can't tell.
    await client.query('SET client_connection_check_interval = 500').catch(() => undefined);
    const known = migrations;
    while (await inTurn(client, (scope) => applyNext(scope, { known, now: clock.now() })));
    if (andThen) await inTurn(client, andThen);
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await closeClient(client);
  }
}

/** Where it throws, the connection is closed next, which undoes what it did. */
async function inTurn<T>(client: pg.Client, work: (scope: MigrationScope) => Promise<T>): Promise<T> {
  // Whatever the database's default is: who had to wait must see what was committed meanwhile.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query('SELECT pg_advisory_xact_lock($1)', [lockKey]);
  const outcome = await work(toMigrationScope(client));
  await client.query('COMMIT');
  return outcome;
}

async function applyNext(
  scope: MigrationScope,
  migrations: { readonly known: readonly Migration[]; readonly now: Date },
): Promise<boolean> {
  await scope.runScript(createBookkeeping);
  return applyNextMigration(scope, migrations);
}

function toMigrationScope(client: pg.Client): MigrationScope {
  const query = (text: string, values: SqlValues): Promise<pg.QueryResult<SqlRow>> =>
    client.query(text, [...(typeof values === 'function' ? values() : values)]);
  return {
    read: async (text, values) => (await query(text, values)).rows,
    execute: async (text, values) => (await query(text, values)).rowCount ?? 0,
    runScript: async (text) => void (await client.query(text)),
  };
}
