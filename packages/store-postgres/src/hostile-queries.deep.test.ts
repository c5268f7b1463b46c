import { type EntityListing, type EntityTable, type Stores, systemClock } from '@x/store';
import { contains, eq, or } from '@x/store/where';
import { createPostgresDatabase, type PostgresDatabase } from '@x/test-support/database';
import { startStopwatch } from '@x/test-support/measure';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';
import { query } from './testing/faulty-network.ts';

/** How long searches are sent, in milliseconds; by how many callers; how many each caller has in flight. */
const [hostileMs, hostileCallers, hostileInFlight] = [4000, 3, 64];

/**
 * How long a polite call may take, in milliseconds: 100, and more for all the other tests that run at the same time,
 * but far less than any search.
 */
const politeMs = process.env['DEEP'] ? 100 : 500;

const notes: EntityTable = {
  name: 'notes',
  columns: [
    { name: 'ownerId', type: 'text', nullable: false },
    { name: 'body', type: 'text', nullable: false },
  ],
  indexes: [['ownerId']],
};

let database: PostgresDatabase;
let stores: Stores;
beforeAll(async () => {
  database = await createPostgresDatabase();
  stores = createPostgresStores({ url: database.url, clock: systemClock, entities: [notes] });
  await stores.migrate();
  await query(
    database.url,
    `INSERT INTO app_notes (id, _version, owner_id, body)
      SELECT 'long' || n, 1, 'eve', repeat(md5(n::text), 8000) FROM generate_series(1, 500) AS n
      UNION ALL SELECT 'short' || n, 1, 'ada', 'A short text.' FROM generate_series(1, 100) AS n;
    ANALYZE`,
  );
});
afterAll(async () => {
  await stores.close();
  await database.drop();
});

it('answers a polite caller beside searches of large texts, ends those, and keeps its connections', async () => {
  await Promise.all(Array.from({ length: 10 }, () => stores.transaction((inside) => inside.counters.read('none'))));
  const connections = await findConnections();
  const until = performance.now() + hostileMs;
  const searching = Promise.all(Array.from({ length: hostileInFlight }, (_, index) => searchUntil(until, index)));
  const tookMs = await bePoliteUntil(until);
  const codes = (await searching).flat();
  expect(tookMs.length).toBeGreaterThan(100);
  expect(tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)]).toBeLessThan(politeMs);
  // Queries that wait for too long are refused.
  expect(new Set(codes)).toEqual(new Set(['QUERY_TOO_EXPENSIVE', 'SERVICE_UNAVAILABLE']));
  expect(await findConnections()).toEqual(connections);
});

/** Searches again and again, and returns how each search was refused. */
async function searchUntil(until: number, index: number): Promise<readonly string[]> {
  const where = or(...Array.from({ length: 40 }, (_, n) => contains('body', `absent ${n}`)));
  const bounds = { caller: `mallory-${index % hostileCallers}`, maxCharacters: 2 ** 20 };
  const codes: string[] = [];
  while (performance.now() < until) {
    codes.push(
      await stores.entities.list('notes', { ...firstPage, where, bounds }).then(
        () => 'none',
        (error: { readonly code: string }) => error.code,
      ),
    );
  }
  return codes;
}

/** Makes the calls of a user one after another, and returns how long each took, in milliseconds. */
async function bePoliteUntil(until: number): Promise<readonly number[]> {
  const isOwn = eq('ownerId', 'ada');
  const bounds = { caller: 'ada', maxCharacters: 2 ** 20 };
  const calls: readonly ((id: string) => Promise<unknown>)[] = [
    () => stores.entities.list('notes', { ...firstPage, where: isOwn, bounds }),
    (id) => stores.entities.get('notes', id, isOwn),
    (id) => stores.entities.update('notes', id, { where: isOwn, values: { body: 'Another text.' } }),
    () => stores.transaction((inside) => inside.counters.add('polite', 1)),
  ];
  const tookMs: number[] = [];
  for (let round = 0; performance.now() < until; round += 1) {
    for (const call of calls) {
      const stopwatch = startStopwatch();
      await call(`short${(round % 100) + 1}`);
      tookMs.push(stopwatch());
    }
  }
  return tookMs;
}

const firstPage: Omit<EntityListing, 'where'> = {
  order: [{ column: 'id', direction: 'asc' }],
  after: null,
  limit: 20,
};

/** Returns the server processes that serve the stores. */
function findConnections(): Promise<readonly unknown[]> {
  return query(
    database.url,
    `SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend' ORDER BY pid`,
  );
}
