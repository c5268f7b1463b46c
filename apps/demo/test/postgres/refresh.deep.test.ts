import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTcpProxy } from '@x/test-support/network';
import { expect, it, vi } from 'vitest';
import { anyAddress } from '../support/any-address.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { type Four, signUpAt, useFourDemos } from '../support/four-demos.ts';
import { count, query } from '../support/postgres-database.ts';
import { refresh, type Refreshed, refreshTokenOf, sessionIdOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { makeRefreshToken, storeSessions } from '../support/stored-sessions.ts';

const demos = useFourDemos({ variables: { RATE_LIMIT_FACTOR: '100000', TRUST_PROXY: '1' } });
const isDeep = Boolean(process.env['DEEP']);

it('gives 200 concurrent refreshes of one token over four processes one successor', async () => {
  const { databaseUrl, origins } = demos();
  const [browser] = await signUpAt(origins);
  const token = refreshTokenOf(browser);
  const refreshed = await Promise.all(Array.from({ length: 200 }, (_, index) => refresh(origins[index % 4]!, token)));
  expect(refreshed.map(({ answer }) => answer.status)).toEqual(refreshed.map(() => 200));
  const [successor = '', ...others] = new Set(refreshed.map((each) => each.token));
  expect(others).toEqual([]);
  expect(successor).not.toBe(token);
  expect(await storedState(databaseUrl, token)).toEqual({ generation: '1', revoked_at: null });
  expect((await refresh(origins[3], successor)).answer.status).toBe(200);
  expect(await storedState(databaseUrl, token)).toEqual({ generation: '2', revoked_at: null });
});

it.each([0, 1, 2, 3])('ends a session in every process when its token %i of 5 is reused', async (reused) => {
  const { databaseUrl, origins } = demos();
  const { browsers, tokens } = await signUpWithChain(origins);
  expectOver(await refresh(origins[reused % 4]!, tokens[reused]!));
  for (const origin of origins) for (const token of tokens) expectOver(await refresh(origin, token));
  expect(await storedState(databaseUrl, tokens[0]!)).toEqual({ generation: '5', revoked_at: expect.any(String) });
  const sql = `SELECT COUNT(*) FROM auth_events WHERE type = 'refresh_token.reused' AND session_id = $1`;
  expect(await count(databaseUrl, sql, [sessionIdOf(tokens[0]!)])).toBe(1);
  for (const browser of browsers) expectRefused(await browser.get('/api/auth/sessions'), 'UNAUTHENTICATED');
});

it('gives the parent of a token the one successor in every process, and continues', async () => {
  const { origins } = demos();
  const { tokens } = await signUpWithChain(origins);
  for (const origin of origins) {
    const { answer, token } = await refresh(origin, tokens[4]!);
    expect([answer.status, token]).toEqual([200, tokens[5]]);
  }
  expect((await refresh(origins[0], tokens[5]!)).answer.status).toBe(200);
});

it('ends no session for forged tokens that name it', { timeout: 120_000 }, async () => {
  const { databaseUrl, origins } = demos();
  const { tokens } = await signUpWithChain(origins);
  const [id, secret] = [sessionIdOf(tokens[0]!), randomBytes(32).toString('hex')];
  const rowOf = (): Promise<unknown> => query(databaseUrl, 'SELECT * FROM auth_sessions WHERE id = $1', [id]);
  const [before, forgeries] = [await rowOf(), isDeep ? 10_000 : 400];
  for (let forged = 0; forged < forgeries; forged += 40) {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        refresh(origins[index % 4]!, forge(tokens, secret, forged + index), { address: anyAddress() }),
      ),
    );
    for (const answer of answers) expectOver(answer);
  }
  expect(await rowOf()).toEqual(before);
  expect((await refresh(origins[1], tokens[5]!)).answer.status).toBe(200);
});

it('resurrects no session by a refresh that races its sign-out', { timeout: 900_000 }, async () => {
  const { databaseUrl, origins } = demos();
  const [browser] = await signUpAt(origins);
  const userId = (await browser.get('/api/auth/session')).body.session?.user.id ?? '';
  const tokens = await storeSessions(demos(), userId, isDeep ? 10_000 : 300);
  const statuses = new Set<number>();
  for (let start = 0; start < tokens.length; start += 10) {
    const raced = await Promise.all(tokens.slice(start, start + 10).map((token) => raceSignOut(origins, token)));
    for (const status of raced.flat()) statuses.add(status);
  }
  // Some refreshes came first, some came too late.
  expect([...statuses].toSorted((a, b) => a - b)).toEqual([200, 401]);
  const active = 'SELECT COUNT(*) FROM auth_sessions WHERE user_id = $1 AND revoked_at IS NULL';
  expect(await count(databaseUrl, active, [userId])).toBe(1);
});

it('answers a retry in every other process if the one that committed was killed before it responded', async () => {
  const { databaseUrl, origins, variables } = demos();
  const [browser] = await signUpAt(origins);
  const token = refreshTokenOf(browser);
  // This process hears late of its commits.
  const url = new URL(databaseUrl);
  await using proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port || 5432) });
  url.host = `127.0.0.1:${proxy.port}`;
  const dying = await startDemo({ folder: makeFolder(), variables: { ...variables, DATABASE_URL: url.href } });
  proxy.delay(150);
  const lost = refresh(dying.origin, token).catch((error: unknown) => error);
  const untilCommitted = { timeout: 10_000, interval: 5 };
  await vi.waitFor(
    async () => expect(await storedState(databaseUrl, token)).toMatchObject({ generation: '1' }),
    untilCommitted,
  );
  dying.signal('SIGKILL');
  expect(await lost).toMatchObject({ message: 'fetch failed' });

  const retried = await Promise.all(origins.map((origin) => refresh(origin, token)));
  expect(retried.map(({ answer }) => answer.status)).toEqual([200, 200, 200, 200]);
  const [successor = '', ...others] = new Set(retried.map((each) => each.token));
  expect(others).toEqual([]);
  expect(await storedState(databaseUrl, token)).toEqual({ generation: '1', revoked_at: null });
  expect((await refresh(origins[2], successor)).answer.status).toBe(200);
});

/** Signs a user up and refreshes five times, each time on the next process; returns all six tokens, the first first. */
async function signUpWithChain(
  origins: Four<string>,
): Promise<{ readonly browsers: Four<Browser>; readonly tokens: readonly string[] }> {
  const browsers = await signUpAt(origins);
  const tokens = [refreshTokenOf(browsers[0])];
  for (let turn = 1; turn <= 5; turn += 1) {
    const { answer, token = '' } = await refresh(origins[turn % 4]!, tokens.at(-1)!);
    expect(answer.status).toBe(200);
    tokens.push(token);
  }
  return { browsers, tokens };
}

/**
 * Refreshes a session on three processes while it signs out on the fourth; returns what the refreshes were answered.
 */
async function raceSignOut([first, second, third, fourth]: Four<string>, token: string): Promise<readonly number[]> {
  const soon = (): Promise<void> => sleep(Math.random() * 5);
  const refreshing = [first, second, third].map((origin) =>
    soon().then(() => refresh(origin, token, { address: anyAddress() })),
  );
  await soon();
  const leaving = new Browser(fourth);
  leaving.cookies.set('app.ref', token);
  expect((await leaving.post('/api/auth/signout')).status).toBe(200);
  expectOver(await refresh(third, token));
  const refreshed = await Promise.all(refreshing);
  for (const one of refreshed) {
    if (one.answer.status !== 200) expectOver(one);
    else await Promise.all([refresh(first, one.token ?? '').then(expectOver), expectSoonRefused(second, one)]);
  }
  return refreshed.map(({ answer }) => answer.status);
}

/** Makes the next of a row of tokens that name the session of a chain, but were never made for it. */
function forge(tokens: readonly string[], secret: string, turn: number): string {
  const [id, generation] = [sessionIdOf(tokens[0]!), turn % 8];
  const real = Buffer.from(tokens[turn % 6]!, 'base64url');
  switch (turn % 3) {
    case 0:
      return makeRefreshToken(secret, { id, generation, salt: randomBytes(32).toString('base64url') });
    case 1:
      // One bit of its MAC is another one.
      real[20 + (turn % 32)]! ^= 1 << (turn % 8);
      return real.toString('base64url');
    default:
      // The MAC of another generation.
      real.writeUInt32BE(real.readUInt32BE(16) + 1 + (turn % 5), 16);
      return real.toString('base64url');
  }
}

function expectOver({ answer, token }: Refreshed): void {
  expectRefused(answer, 'SESSION_EXPIRED');
  expect(token).toBeUndefined();
}

/** Expects that a process hears of the end of a session whose JWT came at the very moment of it. */
async function expectSoonRefused(origin: string, { accessToken = '' }: Refreshed): Promise<void> {
  const browser = new Browser(origin);
  browser.cookies.set('app.sid', accessToken);
  const expectNone = async (): Promise<void> =>
    expect((await browser.get('/api/auth/session')).body).toEqual({ session: null });
  await vi.waitFor(expectNone, { timeout: 5000, interval: 5 });
}

function expectRefused({ status, body }: Answer, code: string): void {
  expect([status, body.error?.code]).toEqual([401, code]);
}

async function storedState(databaseUrl: string, token: string): Promise<unknown> {
  const sql = 'SELECT generation, revoked_at FROM auth_sessions WHERE id = $1';
  const [row] = await query(databaseUrl, sql, [sessionIdOf(token)]);
  return row;
}
