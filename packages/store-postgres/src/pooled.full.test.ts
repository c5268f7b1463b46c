import type { SessionId, Stores, UserId } from '@x/store';
import { createSqlStores, type SqlDriver, type SqlExecutor } from '@x/store-sql';
import { ManualClock } from '@x/store-testing/clock';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { lookUp } from '@x/test-support/lookup';
import {
  findPgBouncers,
  type Pooler,
  startPgBouncer,
  startPooler,
  startTransactionPooler,
  throughPooler,
} from '@x/test-support/postgres';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { createPostgresDriver } from './create-postgres-driver.ts';
import { migrations } from './migrations/migrations.ts';
import { nextId, sessionOf, userOf } from './testing/sample-accounts.ts';

const clock = new ManualClock();

describe('behind a pooler in transaction mode', () => {
  it.each([1, 3, 10])(
    'serves many calls at once through %i connections, and leaves their sessions unchanged',
    async (poolSize) => {
      const pooler = await startPooler({ server: await findServer(), poolSize });
      const { stores, driver, url } = await openThrough(pooler);
      for (const wave of [0, 20]) {
        await Promise.all(Array.from({ length: 20 }, (_, index) => useAll(stores, driver, wave + index)));
      }
      expect(await stores.counters.read('calls')).toBe(40);
      expect(await readTraces(url, poolSize)).toEqual(Array.from({ length: poolSize }, () => []));
    },
  );

  it('names statements while the pooler keeps names, and continues without names when it loses them', async () => {
    const keeping = (await findPgBouncers()).find(({ keepsNames }) => keepsNames);
    const options = { server: await findServer(), poolSize: 3 };
    const pooler = await (keeping ? startPgBouncer(options, keeping) : startPooler(options));
    const { stores, driver, url } = await openThrough(pooler);
    const useOften = (): Promise<unknown> =>
      Promise.all(Array.from({ length: 40 }, (_, index) => useAll(stores, driver, index)));
    await useOften();
    expect((await readKept(url)) > 0).toBe(keeping !== undefined);
    // PgBouncer does not look into a block, so it does not notice the statement.
    const forget = "DO $$ BEGIN EXECUTE 'DEALLOCATE ALL'; END $$";
    await Promise.all(Array.from({ length: 12 }, () => driver.read(forget, [])));
    // A transaction detects it with its first statement.
    await useOften();
    expect(await stores.counters.read('calls')).toBe(80);
    expect(await readTraces(url, 3)).toEqual([[], [], []]);
  });

  it('serves the same through the small pooler of the tests', async () => {
    const pooler = await startTransactionPooler({ server: await findServer(), poolSize: 3 });
    const { stores, driver, url } = await openThrough(pooler);
    for (const wave of [0, 20]) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => useAll(stores, driver, wave + index)));
    }
    expect(await stores.counters.read('calls')).toBe(40);
    expect(await readTraces(url, 3)).toEqual([[], [], []]);
  });

  it('detects a pooler that ignores the settings of a connection, and leaves sessions unchanged', async () => {
    const pooler = await startTransactionPooler({ server: await findServer(), poolSize: 3, settings: 'ignore' });
    const { stores, driver, url } = await openThrough(pooler);
    await Promise.all(Array.from({ length: 20 }, (_, index) => useAll(stores, driver, index)));
    expect(await stores.counters.read('calls')).toBe(20);
    expect(await readTraces(url, 3)).toEqual([[], [], []]);
  });

  it('detects a pooler by its errors alone', async () => {
    const pooler = await startTransactionPooler({ server: await findServer(), poolSize: 3, settings: 'pass' });
    const { stores } = await openThrough(pooler, await createMigrated());
    const add = async (): Promise<unknown> => stores.counters.add('calls', 1);
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, add));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => (reason as { readonly code: string }).code)).toEqual(
      refused.map(() => 'SERVICE_UNAVAILABLE'),
    );
    const before = await stores.counters.read('calls');
    await Promise.all(Array.from({ length: 40 }, add));
    expect(await stores.counters.read('calls')).toBe(before + 40);
  });

  it('never runs a statement of another process on the same connection of an undetected pooler', async () => {
    const pooler = await startTransactionPooler({ server: await findServer(), poolSize: 2, settings: 'pass' });
    const database = await createMigrated();
    const [one, other] = [await openThrough(pooler, database), await openThrough(pooler, database)];
    const inTurn = await leaveOneConnection(one);
    const ask = ({ driver }: Opened, name: string): Promise<void> =>
      inTurn(async () => {
        for (const text of Array.from({ length: 5 }, (_, index) => `${name} ${index}`)) {
          expect(await driver.read(`SELECT $1 || '${text}' AS told`, ['I am '])).toEqual([{ told: `I am ${text}` }]);
        }
      });
    await ask(one, 'one');
    await ask(other, 'other');
    await ask(other, 'other');
  });

  it.each([
    { retryable: true, outcome: 2, runs: 2 },
    { retryable: false, outcome: 'SERVICE_UNAVAILABLE', runs: 1 },
  ])(
    'repeats a transaction that loses a name midway only if it is retryable: $retryable',
    async ({ retryable, ...expected }) => {
      const pooler = await startTransactionPooler({ server: await findServer(), poolSize: 2, settings: 'pass' });
      const opened = await openThrough(pooler, await createMigrated());
      const { driver } = opened;
      const inTurn = await leaveOneConnection(opened);
      const add = `INSERT INTO auth_counters (name, value) VALUES ($1, 1)
        ON CONFLICT (name) DO UPDATE SET value = auth_counters.value + 1`;
      const read = 'SELECT value::int FROM auth_counters WHERE name = $1';
      let runs = 0;
      const addAndRead = async (inside: SqlExecutor): Promise<unknown> => {
        runs += 1;
        await inside.write(add, ['calls']);
        return (await inside.read(read, ['calls']))[0]?.['value'];
      };
      await inTurn(() => driver.write(add, ['calls']));
      await inTurn(() => driver.read(read, ['calls']));
      // This connection has no statement that reads.
      await inTurn(async () => {
        const outcome = await driver
          .transaction(addAndRead, { retryable })
          .catch((error: { readonly code: string }) => error.code);
        expect(outcome).toBe(expected.outcome);
      });
      expect(runs).toBe(expected.runs);
      expect(await driver.read(read, ['calls'])).toEqual([{ value: expected.runs }]);
    },
  );

  it('refuses a default isolation that single statements could not change', async () => {
    const pooler = await startPooler({ server: await findServer(), poolSize: 3 });
    const databaseUrl = await createMigrated();
    const name = new URL(databaseUrl).pathname.slice(1);
    await ask(databaseUrl, `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const { driver } = await openThrough(pooler, databaseUrl);
    await expect(driver.read('SELECT 1', [])).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { message: expect.stringContaining('default_transaction_isolation must be read committed') },
    });
  });
});

interface Opened {
  /** The database through the pooler. */
  readonly url: string;
  readonly driver: SqlDriver;
  readonly stores: Stores;
}

function findServer(): Promise<string> {
  return lookUp(inject('postgresLookup'), 'No Postgres to test with');
}

/**
 * Opens stores through a pooler, which ends with the test. They are migrated through it, unless a database is given.
 */
async function openThrough(pooler: Pooler, given?: string): Promise<Opened> {
  const url = throughPooler(pooler, given ?? (await createDatabase()));
  const { driver, stores } = open(url);
  onTestFinished(async () => {
    await stores.close();
    await pooler[Symbol.asyncDispose]();
  });
  if (given === undefined) await stores.migrate();
  return { url, driver, stores };
}

/** Creates a database that is migrated without a pooler, whose connections to the server would have no limits then. */
async function createMigrated(): Promise<string> {
  const url = await createDatabase();
  const { stores } = open(url);
  await stores.migrate();
  await stores.close();
  return url;
}

/** Creates a database, which is dropped after the test. */
async function createDatabase(): Promise<string> {
  const database = await createPostgresDatabase();
  onTestFinished(() => database.drop());
  return database.url;
}

function open(url: string): Omit<Opened, 'url'> {
  const own = { url, maxConnections: 10, migrations, patience: patient, logger: false as const };
  const driver = createPostgresDriver({ ...own, clock });
  return { driver, stores: createSqlStores({ driver, clock }) };
}

/** Gives work one of the two connections of a pooler that alternates between them: the other one each time. */
async function leaveOneConnection({ url, driver }: Opened): Promise<(work: () => Promise<unknown>) => Promise<void>> {
  // The driver connects first, with settings, and its statement has no name.
  await driver.readServerTime();
  const holder = new pg.Client(url);
  await holder.connect();
  onTestFinished(() => holder.end());
  return async (work) => {
    await holder.query('BEGIN');
    await work();
    await holder.query('COMMIT');
  };
}

/** Runs statements alone and in transactions, with limits, locks and notifications. */
async function useAll(stores: Stores, driver: SqlDriver, index: number): Promise<void> {
  const user = userOf(nextId() as UserId);
  await stores.transaction(async (inside) => {
    await inside.users.create(user);
    await inside.counters.add('calls', 1);
  });
  const session = sessionOf(nextId() as SessionId, user.id);
  await stores.sessions.create(session, { maxActive: 10 });
  await stores.sessions.revoke(session.id);
  await stores.rateLimits.check(`key-${index}`, 10, 1000);
  const options = { mayScan: true, maxRows: 1000, maxCharacters: 100 };
  const { rows } = await driver.query('SELECT n::text FROM generate_series(1, $1::int) AS n', [500], options);
  expect(rows.length).toBeGreaterThan(10);
  await expect(driver.read('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
}

/** Lists the traces of sessions on all connections of a pooler to the server, by using all of them at once. */
async function readTraces(url: string, poolSize: number): Promise<readonly unknown[]> {
  const clients = await Promise.all(
    Array.from({ length: poolSize }, async () => {
      const client = new pg.Client(url);
      await client.connect();
      await client.query('BEGIN');
      return client;
    }),
  );
  const traces = await Promise.all(clients.map(async (client) => (await client.query(selectTraces)).rows));
  await Promise.all(clients.map((client) => client.query('COMMIT').then(() => client.end())));
  return traces;
}

/** Counts the statements that PgBouncer has prepared on connections to the server. */
async function readKept(url: string): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query(
    "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'PGBOUNCER\\_%'",
  );
  await client.end();
  return rows[0].count;
}

/** Leaves out the settings that PgBouncer passes on for its clients, and the statements that it has named. */
const selectTraces = `
  SELECT 'setting ' || name AS trace FROM pg_settings
  WHERE source = 'session' AND name NOT IN ('client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings',
    'application_name', 'transaction_isolation', 'transaction_read_only', 'transaction_deferrable')
  UNION ALL SELECT 'statement ' || name FROM pg_prepared_statements WHERE name NOT LIKE 'PGBOUNCER\\_%'
  UNION ALL SELECT 'listens to ' || channel FROM pg_listening_channels() AS channel
  UNION ALL SELECT 'lock' FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
  UNION ALL SELECT 'table ' || relname FROM pg_class WHERE relnamespace = pg_my_temp_schema()`;

async function ask(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}
