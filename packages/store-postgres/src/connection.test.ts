import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { PostgresConnection } from './connection.ts';
import { Pooler, StatementNames } from './pooler.ts';
import { toTimeouts } from './timeouts.ts';

const canceled = Object.assign(new pg.DatabaseError('canceling statement due to statement timeout', 1, 'error'), {
  code: '57014',
});
const aborted = Object.assign(new pg.DatabaseError('current transaction is aborted', 1, 'error'), { code: '25P02' });

const limitMs = 1;

/** Opens a connection to a server that refuses some texts, as one does that is short of time. */
function openConnection(refusals: Readonly<Record<string, Error>>, { isPipelined = true, leftMs = 60_000 } = {}) {
  const release = vi.fn<(isUnusable: boolean) => void>();
  const sent: string[] = [];
  const query = async ({ text }: pg.QueryConfig): Promise<object> => {
    sent.push(text);
    const [, error] = Object.entries(refusals).find(([start]) => text.startsWith(start)) ?? [];
    if (error === undefined) return { rows: [], rowCount: 0 };
    await sleep(2 * limitMs);
    throw error;
  };
  const connection = new PostgresConnection({ query, pipeline: isPipelined } as unknown as pg.PoolClient, {
    pooler: new Pooler(false, new StatementNames()),
    timeouts: toTimeouts({ waitMs: 2000, connectMs: 1000 }),
    isGiven: false,
    firstEndsAt: performance.now() + leftMs,
    onAnswer: () => {},
    onLost: () => {},
    release,
  });
  const search = () => connection.query('SELECT', [], { mayScan: true, maxRows: 20 }, limitMs);
  return { connection, search, sent, release };
}

describe.each([true, false])('a query that its server has ended (sent at once: %s)', (isPipelined) => {
  it.each([
    ['as its transaction began', { BEGIN: canceled, SELECT: aborted }],
    ['itself', { SELECT: canceled }],
  ])('%s, was too expensive, and leaves no transaction open', async (_, refusals) => {
    const { connection, search, sent, release } = openConnection(refusals, { isPipelined });
    await expect(search()).rejects.toMatchObject({ code: 'QUERY_TOO_EXPENSIVE' });
    expect(sent.at(-1)).toBe(isPipelined ? 'COMMIT' : 'ROLLBACK');
    connection.release();
    expect(release.mock.calls).toEqual([[false]]);
  });
});

it.each([
  ['its COMMIT', true, { COMMIT: canceled }],
  ['its ROLLBACK', false, { SELECT: canceled, ROLLBACK: canceled }],
])('does not reuse a connection that is in a transaction still, as the server ended %s', async (...given) => {
  const [, isPipelined, refusals] = given;
  const { connection, search, release } = openConnection(refusals, { isPipelined });
  await expect(search()).rejects.toBeDefined();
  connection.release();
  expect(release.mock.calls).toEqual([[true]]);
});

it('does not reuse a connection whose transaction could not be rolled back', async () => {
  const { connection, release } = openConnection({ ROLLBACK: canceled });
  await connection.begin(performance.now() + 1000);
  await connection.rollback();
  connection.release();
  expect(release.mock.calls).toEqual([[true]]);
});

it('sends no query whose error would come too late', async () => {
  const { search, sent } = openConnection({}, { leftMs: 50 });
  await expect(search()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { reason: 'too_busy' } });
  expect(sent).toEqual([]);
});
