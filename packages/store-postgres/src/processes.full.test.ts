import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionId, UserId } from '@x/store';
import { patient } from '@x/store-testing';
import { createPostgresDatabase } from '@x/test-support/database';
import { runAtOnce } from '@x/test-support/programs';
import pg from 'pg';
import { expect, onTestFinished, it } from 'vitest';
import { createPostgresStores } from './create-postgres-stores.ts';

const rows = process.env['DEEP'] ? 50_000 : 5000;
/** The kinds of rows, in the order in which the program prunes them. */
const tables = [
  { table: 'auth_sessions', key: 'id' },
  { table: 'auth_rate_limits', key: 'key' },
  { table: 'auth_events', key: 'id' },
  { table: 'auth_email_verifications', key: 'user_id' },
  { table: 'auth_password_resets', key: 'user_id' },
  { table: 'auth_one_time_ids', key: 'hash' },
] as const;

const prune = new URL('../test/prune.mjs', import.meta.url);

it('deletes each row once while 4 processes prune at once, and keeps the rows that are still needed', async () => {
  const { url, client } = await createFilledDatabase();
  const outputs = await runAtOnce(4, prune, url);
  expect(sumUp(outputs)).toEqual(tables.map(() => rows));
  for (const { table } of tables) {
    expect((await client.query(`SELECT COUNT(*) FROM ${table}`)).rows).toEqual([{ count: '10' }]);
  }
});

it('lets 4 processes prune without waiting, or making requests wait', async () => {
  const { url, client } = await createFilledDatabase();
  await client.query('BEGIN');
  for (const { table, key } of tables) {
    await client.query(`SELECT FROM ${table} WHERE ${key} = 'old-7' FOR UPDATE`);
  }
  const work = startWork(url);
  const watch = watchWaiting(url);
  const outputs = await runAtOnce(4, prune, url);
  const waiting = await watch.stop();
  await work.stop();
  expect(sumUp(outputs)).toEqual(tables.map(() => rows - 1));
  expect(waiting).toEqual([]);
  await client.query('COMMIT');
  expect(sumUp(await runAtOnce(1, prune, url))).toEqual(tables.map(() => 1));
});

/** Makes a database with this many expired rows of each kind, and ten that are still needed. */
async function createFilledDatabase(): Promise<{ readonly url: string; readonly client: pg.Client }> {
  const database = await createPostgresDatabase();
  const { url } = database;
  const stores = createPostgresStores({ patience: patient, url, clock: { now: () => new Date() } });
  await stores.migrate();
  await stores.users.create({ ...user, id: userId });
  await stores.close();
  const client = new pg.Client(url);
  await client.connect();
  onTestFinished(async () => {
    await client.end();
    await database.drop();
  });
  // That of the user, who is needed only for the sessions.
  await client.query('DELETE FROM auth_events');
  const now = Date.now();
  await fill(client, { prefix: 'old', count: rows, at: now - 3_600_000, end: now - 1000 });
  await fill(client, { prefix: 'new', count: 10, at: now + 600_000, end: now + 3_600_000 });
  return { url, client };
}

async function fill(
  client: pg.Client,
  { prefix, count, at, end }: { prefix: string; count: number; at: number; end: number },
): Promise<void> {
  const series = `generate_series(1, ${count}) AS n`;
  const id = `'${prefix}-' || n`;
  await client.query(`
    INSERT INTO auth_sessions (id, user_id, refresh_token_hash, refresh_salt, generation, rotated_at, ver, created_at,
      last_active_at, expires_at, authenticated_at, authenticated_by)
    SELECT ${id}, 'user-1', ${id}, '', 0, 0, 0, 0, 0, ${end}, 0, 'password' FROM ${series}`);
  await client.query(`INSERT INTO auth_rate_limits SELECT ${id}, 1, ${end} FROM ${series}`);
  await client.query(
    `INSERT INTO auth_events (id, type, at, occurrences, detail) SELECT ${id}, 'x', ${at}, 1, '{}' FROM ${series}`,
  );
  await client.query(`
    INSERT INTO auth_users (id, email, email_verified, role, fields, created_at, updated_at)
    SELECT ${id}, '', FALSE, '', '{}', 0, 0 FROM ${series}`);
  for (const table of ['auth_email_verifications', 'auth_password_resets']) {
    await client.query(`
      INSERT INTO ${table} (user_id, token_hash, email, expires_at) SELECT ${id}, ${id}, '', ${end} FROM ${series}`);
  }
  await client.query(`INSERT INTO auth_one_time_ids SELECT ${id}, ${end} FROM ${series}`);
}

/** Polls, until it is stopped, for statements that wait for a row of another transaction; returns them. */
function watchWaiting(url: string): { stop: () => Promise<readonly string[]> } {
  let isOver = false;
  const watching = (async () => {
    const seen = new Set<string>();
    // It is not a connection of an open transaction, which would see one snapshot until its end.
    const client = new pg.Client(url);
    await client.connect();
    while (!isOver) {
      const { rows: found } = await client.query<{ query: string }>(
        `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')`,
      );
      for (const { query } of found) seen.add(query);
      await sleep(1);
    }
    await client.end();
    return [...seen];
  })();
  return {
    stop: () => {
      isOver = true;
      return watching;
    },
  };
}

/** Runs the steps of requests until it is stopped. */
function startWork(url: string): { stop: () => Promise<void> } {
  const stores = createPostgresStores({ patience: patient, url, clock: { now: () => new Date() } });
  let isOver = false;
  const steps = [
    (generation: number) =>
      stores.sessions.rotate('new-1' as SessionId, {
        expectedHash: hashOf(generation),
        nextHash: hashOf(generation + 1),
      }),
    () => stores.rateLimits.check('new-1', 1_000_000, 3_600_000),
    () => stores.sessions.listActive(userId),
  ];
  const working = (async () => {
    for (let generation = 0; !isOver; generation += 1) {
      for (const step of steps) {
        expect(await step(generation)).not.toBeNull();
      }
      await sleep(1);
    }
  })();
  const stop = async (): Promise<void> => {
    isOver = true;
    await working;
    await stores.close();
  };
  return { stop };
}

function hashOf(generation: number): string {
  return generation === 0 ? 'new-1' : `new-1.${generation}`;
}

/** Adds up, kind by kind, the numbers that processes printed. */
function sumUp(outputs: readonly string[]): readonly number[] {
  const deleted = outputs.map((output) => output.split(' ').map(Number));
  return tables.map((_, kind) => deleted.reduce((sum, numbers) => sum + (numbers[kind] ?? 0), 0));
}

const userId = 'user-1' as UserId;

const user = {
  email: 'a@example.com',
  loginEmail: 'a@example.com',
  emailVerified: true,
  emailProvenAt: null,
  passwordHash: null,
  role: 'user',
  tenantId: null,
  fields: {},
};
