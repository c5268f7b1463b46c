import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { count, query } from '../support/database-file.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { refresh, type Refreshed, refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';

/** No restart may take longer than the grace, also on a busy machine. */
const variables = { REFRESH_GRACE: '10m', RATE_LIMIT_FACTOR: '1000' };

it('continues a chain of refreshes after a restart, also if the last response was lost', async () => {
  const folder = makeFolder();
  const first = await startDemo({ folder, variables });
  const browser = new Browser(first.origin);
  await browser.post('/api/auth/signup', newAccount());
  const lost = refreshTokenOf(browser);
  await browser.post('/api/auth/refresh');
  await first.stop();

  const second = await startDemo({ folder, variables });
  const retry = await refresh(second.origin, lost);
  expect([retry.answer.status, retry.token]).toEqual([200, refreshTokenOf(browser)]);
  expect((await refresh(second.origin, refreshTokenOf(browser))).answer.status).toBe(200);
});

it('gives every retry the one successor, whenever in a refresh it was killed', async () => {
  const folder = makeFolder();
  const database = join(folder, '.data/demo.db');
  let demo = await startDemo({ folder, variables });
  let tokens = await openSessions(demo);
  let lostAfterCommit = 0;
  let round = 0;
  // It goes on until a kill came between a commit and its answer, which nearly every second one does.
  for (; round < 4 || (lostAfterCommit === 0 && round < 20); round += 1) {
    const generation = 2 * round;
    const moment = round % 2 === 0 ? firstCommit(database, generation) : sleep(Math.random() * 40);
    const answered = await refreshUntilKilled(demo, tokens, moment);
    const committed = count(database, `SELECT COUNT(*) FROM auth_sessions WHERE generation > ${generation}`);
    lostAfterCommit += committed - answered.filter((token) => token !== null).length;

    demo = await startDemo({ folder, variables });
    const retried = await refreshAll(demo, tokens);
    expect(answered.filter((token, index) => token !== null && token !== retried[index])).toEqual([]);
    tokens = await refreshAll(demo, retried);
  }
  expect(lostAfterCommit).toBeGreaterThan(0);
  expect(query(database, 'SELECT DISTINCT generation, revoked_at FROM auth_sessions')).toEqual([
    { generation: 2 * round, revoked_at: null },
  ]);
});

/** Signs a user in on many devices; returns their refresh tokens. */
async function openSessions({ origin }: DemoProcess): Promise<readonly string[]> {
  const account = newAccount();
  const browsers = Array.from({ length: 24 }, () => new Browser(origin));
  await browsers[0]!.post('/api/auth/signup', account);
  await Promise.all(browsers.slice(1).map((browser) => browser.post('/api/auth/signin', account)));
  return browsers.map(refreshTokenOf);
}

/**
 * Resolves as soon as the file holds a session of a later generation: before any client has the response, or hardly
 * after.
 */
async function firstCommit(path: string, generation: number): Promise<void> {
  const database = new DatabaseSync(path, { readOnly: true });
  const later = database.prepare('SELECT 1 FROM auth_sessions WHERE generation > ?');
  const givenUpAt = performance.now() + 10_000;
  while (later.get(generation) === undefined && performance.now() < givenUpAt) await nextTurn();
  database.close();
}

/** Refreshes all at once and kills the demo at a moment; returns the successors, null for those that never came. */
async function refreshUntilKilled(
  demo: DemoProcess,
  tokens: readonly string[],
  moment: Promise<void>,
): Promise<readonly (string | null)[]> {
  const underWay = Promise.allSettled(tokens.map((token) => refresh(demo.origin, token)));
  await moment;
  demo.signal('SIGKILL');
  expect(await demo.ended).toEqual({ code: null, signal: 'SIGKILL' });
  return (await underWay).map((outcome) => (outcome.status === 'fulfilled' ? successorOf(outcome.value) : null));
}

async function refreshAll({ origin }: DemoProcess, tokens: readonly string[]): Promise<readonly string[]> {
  const refreshed = await Promise.all(tokens.map((token) => refresh(origin, token)));
  return refreshed.map(successorOf);
}

function successorOf({ answer, token }: Refreshed): string {
  expect(answer.status).toBe(200);
  return token ?? '';
}
