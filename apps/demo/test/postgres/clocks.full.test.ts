import { expect, it, vi } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { anyAddress } from '../support/any-address.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { countCodes } from '../support/count-codes.ts';
import { type Four, useFourDemos } from '../support/four-demos.ts';
import { count } from '../support/postgres-database.ts';
import { refresh, type Refreshed, refreshTokenOf } from '../support/refresh.ts';

const demos = useFourDemos({ variables: { TRUST_PROXY: '1' }, clockSkewSeconds: [0, 30, -30, 30] });
const minute = 60_000;
const week = 7 * 24 * 60 * minute;

it('uses the time of the database in every process, however wrong its own clock is', async () => {
  const { origins, databaseUrl } = demos();
  for (const origin of origins) {
    const askedAt = await databaseTime(databaseUrl);
    const now = await nowAt(origin);
    expect(now).toBeGreaterThan(askedAt - 250);
    expect(now).toBeLessThan((await databaseTime(databaseUrl)) + 250);
  }
});

it('reports the same expiry of JWTs and sessions in every process', async () => {
  const { origins, databaseUrl } = demos();
  for (const origin of origins) {
    const startedAt = await databaseTime(databaseUrl);
    const { browser, expiresAt } = await signUp(origin);
    const sessions = (await browser.get('/api/auth/sessions')).body.sessions.map((one) => Date.parse(one.expiresAt));
    const elapsed = (await databaseTime(databaseUrl)) - startedAt;
    for (const lifetime of [expiresAt - startedAt - minute, sessions[0]! - startedAt - week]) {
      // A JWT says so in whole seconds.
      expect(lifetime).toBeGreaterThan(-1250);
      expect(lifetime).toBeLessThan(elapsed + 250);
    }
  }
});

it('accepts the JWTs of every process in every other one, until they expire', async () => {
  const { origins } = demos();
  const signedUp = await Promise.all(origins.map(signUp));
  const isGood = async ({ browser }: SignedUp, origin: string): Promise<boolean> =>
    (await browser.at(origin).get('/api/auth/session')).body.session !== null;
  const accepted = async (): Promise<readonly boolean[]> =>
    Promise.all(signedUp.flatMap((one) => origins.map((origin) => isGood(one, origin))));
  expect(await accepted()).toEqual(Array.from({ length: 16 }, () => true));
  await advance(origins, 50);
  expect(await accepted()).toEqual(Array.from({ length: 16 }, () => true));
  await advance(origins, 10);
  expect(await accepted()).toEqual(Array.from({ length: 16 }, () => false));
});

it('counts the grace of a token from its rotation in any process, and ends it for all of them', async () => {
  const { origins } = demos();
  const chains = await Promise.all(origins.map(signUpAndRefresh));
  const present = (): Promise<readonly Refreshed[]> =>
    Promise.all(chains.flatMap(({ old }) => origins.map((origin) => refresh(origin, old, { address: anyAddress() }))));
  await advance(origins, 8);
  const inTime = await present();
  expect(inTime.map(({ answer, token }) => [answer.status, token])).toEqual(
    chains.flatMap(({ successor }) => origins.map(() => [200, successor])),
  );
  await advance(origins, 2);
  const tooLate = await present();
  expect(countCodes(tooLate.map(({ answer }) => answer))).toEqual({ SESSION_EXPIRED: 16 });
  for (const [index, { successor }] of chains.entries()) {
    expectSessionExpired(await refresh(origins[index]!, successor, { address: anyAddress() }));
  }
});

it('allows exactly 5 of 200 parallel sign-ins that guess, and none before 15 minutes are over', async () => {
  const { origins } = demos();
  const account = newAccount();
  const guess = (times: number): Promise<readonly Answer[]> =>
    Promise.all(
      Array.from({ length: times }, (_, index) => new Browser(origins[index % 4]!).post('/api/auth/signin', account)),
    );
  expect(countCodes(await guess(200))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 195 });
  await advance(origins, 14 * 60 + 45);
  const refused = await guess(4);
  expect(countCodes(refused)).toEqual({ RATE_LIMITED: 4 });
  const seconds = refused.map(({ headers }) => Number(headers.get('retry-after')));
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...seconds) - Math.min(...seconds)).toBeLessThanOrEqual(1);
  expect(Math.max(...seconds)).toBeLessThanOrEqual(15);
  await advance(origins, 15);
  expect(countCodes(await guess(200))).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 195 });
});

it('allows exactly 10 of 200 parallel refreshes of one client', async () => {
  const { origins } = demos();
  const address = anyAddress();
  const refreshed = await Promise.all(
    Array.from({ length: 200 }, (_, index) => refresh(origins[index % 4]!, 'no token', { address })),
  );
  expect(countCodes(refreshed.map(({ answer }) => answer))).toEqual({ SESSION_EXPIRED: 10, RATE_LIMITED: 190 });
});

it('moves the clock of every process when one advances it', async () => {
  const { origins } = demos();
  const [first, ...others] = origins;
  const { browser } = await signUp(first);
  await browser.post('/dev/clock', { advanceSeconds: 60 });
  const expectOver = async (origin: string): Promise<void> =>
    expect((await browser.at(origin).get('/api/auth/session')).body).toEqual({ session: null });
  await Promise.all(others.map((origin) => vi.waitFor(() => expectOver(origin), { timeout: 30_000, interval: 10 })));
});

interface SignedUp {
  readonly browser: Browser;
  /** When the JWT ends. */
  readonly expiresAt: number;
}

async function signUp(origin: string): Promise<SignedUp> {
  const browser = new Browser(origin);
  const answer = await browser.post('/api/auth/signup', newAccount());
  expect(answer.status).toBe(201);
  return { browser, expiresAt: Date.parse(answer.body.expiresAt) };
}

async function signUpAndRefresh(origin: string): Promise<{ readonly old: string; readonly successor: string }> {
  const old = refreshTokenOf((await signUp(origin)).browser);
  const { answer, token = '' } = await refresh(origin, old, { address: anyAddress() });
  expect(answer.status).toBe(200);
  return { old, successor: token };
}

/** Moves the clock on by one process, and makes sure that the others know. */
async function advance([first, ...others]: Four<string>, advanceSeconds: number): Promise<void> {
  const { now } = (await new Browser(first).post('/dev/clock', { advanceSeconds })).body;
  // A process that is asked in this way looks into the database.
  for (const origin of others) expect(await nowAt(origin)).toBeGreaterThan(Date.parse(now) - 250);
}

async function nowAt(origin: string): Promise<number> {
  return Date.parse((await new Browser(origin).post('/dev/clock', { advanceSeconds: 0 })).body.now);
}

/** Reads the clock of the server of the database, moved on as far as that of the demos. */
function databaseTime(databaseUrl: string): Promise<number> {
  const offset = `SELECT value FROM auth_counters WHERE name = 'development.clock_offset_ms'`;
  return count(databaseUrl, `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) + COALESCE((${offset}), 0)`);
}

function expectSessionExpired({ answer }: Refreshed): void {
  expect([answer.status, answer.body.error?.code]).toEqual([401, 'SESSION_EXPIRED']);
}
