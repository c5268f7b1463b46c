import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { countCodes } from '../support/count-codes.ts';
import { startHere } from '../support/demo-in-process.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { startTwo } from '../support/two-demos.ts';

it('allows exactly 5 of 40 parallel sign-ins that guess over two processes', async () => {
  const [one, two] = await startTwo(makeFolder());
  const account = newAccount();
  const startedAt = Date.now();
  const guess = { ...account, password: 'incorrect horse battery' };
  const guesses = await Promise.all(
    Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? one : two).post('/api/auth/signin', guess)),
  );
  expect(countCodes(guesses)).toEqual({ INVALID_CREDENTIALS: 5, RATE_LIMITED: 35 });
  for (const browser of [one, two]) {
    expectRateLimited(await browser.post('/api/auth/signin', account), { startedAt, windowSeconds: 15 * 60 });
  }
  expect((await two.post('/api/auth/signin', newAccount())).status).toBe(401);
  await one.post('/dev/clock', { advanceSeconds: 15 * 60 });
  expect((await one.post('/api/auth/signin', guess)).status).toBe(401);
});

it('counts attempts over a restart', async () => {
  const folder = makeFolder();
  const account = newAccount();
  const first = await startDemo({ folder });
  const before = await post(first.origin, '/api/auth/signin', { times: 4, body: account });
  expect(countCodes(before)).toEqual({ INVALID_CREDENTIALS: 4 });
  await first.stop();
  const second = await startDemo({ folder });
  const after = await post(second.origin, '/api/auth/signin', { times: 2, body: account });
  expect(countCodes(after)).toEqual({ INVALID_CREDENTIALS: 1, RATE_LIMITED: 1 });
});

it('limits sign-ins, and sign-ups, of one address as SIGNIN_RATE_LIMIT says', async () => {
  const origin = await startHere({ SIGNIN_RATE_LIMIT: '2/1m' });
  for (const path of ['/api/auth/signin', '/api/auth/signup']) {
    const startedAt = Date.now();
    const answers = await post(origin, path, { times: 3, body: newAccount() });
    expect([path, ...answers.slice(0, 2).map(({ status }) => status)]).not.toContain(429);
    expectRateLimited(answers[2]!, { startedAt, windowSeconds: 60 });
  }
});

it.each([
  { per: 'network', others: [429, 429] },
  { per: 'session', others: [200, 429] },
])('limits refreshes of a $per as REFRESH_RATE_LIMIT says', async ({ per, others }) => {
  const origin = await startHere({ REFRESH_RATE_LIMIT: `1/1m/${per}` });
  const [one, other] = [new Browser(origin), new Browser(origin)];
  for (const browser of [one, other]) await browser.post('/api/auth/signup', newAccount(per));
  const refresh = async (browser: Browser): Promise<number> => (await browser.post('/api/auth/refresh')).status;
  expect([await refresh(one), await refresh(one)]).toEqual([200, 429]);
  expect([await refresh(other), await refresh(other)]).toEqual(others);
});

it.each([
  { factor: '3', refreshes: 30, signIns: 15 },
  { factor: '0.5', refreshes: 5, signIns: 3 },
  { factor: '0.001', refreshes: 1, signIns: 1 },
])('multiplies every limit by a RATE_LIMIT_FACTOR of $factor', async ({ factor, refreshes, signIns }) => {
  const origin = await startHere({ RATE_LIMIT_FACTOR: factor });
  const refreshed = await post(origin, '/api/auth/refresh', { times: refreshes + 2 });
  expect(countCodes(refreshed)).toEqual({ SESSION_EXPIRED: refreshes, RATE_LIMITED: 2 });
  const signedIn = await post(origin, '/api/auth/signin', { times: signIns + 2, body: newAccount() });
  expect(countCodes(signedIn)).toEqual({ INVALID_CREDENTIALS: signIns, RATE_LIMITED: 2 });
});

it('multiplies SIGNIN_RATE_LIMIT, too', async () => {
  const origin = await startHere({ RATE_LIMIT_FACTOR: '2', SIGNIN_RATE_LIMIT: '2/1m' });
  const answers = await post(origin, '/api/auth/signin', { times: 5, body: newAccount() });
  expect(countCodes(answers)).toEqual({ INVALID_CREDENTIALS: 4, RATE_LIMITED: 1 });
});

it.each([
  ['no proxy is trusted', {}],
  ['zero proxies are trusted', { TRUST_PROXY: '0' }],
  ['another machine is the proxy', { TRUST_PROXY: '10.0.0.0/8, 192.0.2.1' }],
])('ignores X-Forwarded-For if %s', async (_where, variables) => {
  const origin = await startHere(variables);
  const answers = await Promise.all(
    Array.from({ length: 11 }, (_, index) => refreshFrom(origin, `203.0.113.${index}`)),
  );
  expect(countCodes(answers)).toEqual({ SESSION_EXPIRED: 10, RATE_LIMITED: 1 });
});

it.each([
  ['one proxy', '1'],
  ['the range of this machine', '127.0.0.0/8, ::1'],
  ['the address of this machine', '127.0.0.1'],
])('limits refreshes by the client that %s identifies, and by no address before it', async (_whom, TRUST_PROXY) => {
  const origin = await startHere({ TRUST_PROXY });
  const spoofed = await Promise.all(
    Array.from({ length: 11 }, (_, index) => refreshFrom(origin, `198.51.100.${index}, 203.0.113.7`)),
  );
  expect(countCodes(spoofed)).toEqual({ SESSION_EXPIRED: 10, RATE_LIMITED: 1 });
  expect(countCodes([await refreshFrom(origin, '203.0.113.7')])).toEqual({ RATE_LIMITED: 1 });
  expect(countCodes([await refreshFrom(origin, '203.0.113.8')])).toEqual({ SESSION_EXPIRED: 1 });
  expect(countCodes([await refreshFrom(origin, null)])).toEqual({ SESSION_EXPIRED: 1 });
});

/** Sends one request after the other, each as a browser that knows nothing. */
async function post(
  origin: string,
  path: string,
  { times, body }: { times: number; body?: object },
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let time = 0; time < times; time += 1) answers.push(await new Browser(origin).post(path, body));
  return answers;
}

function refreshFrom(origin: string, forwardedFor: string | null): Promise<Answer> {
  const headers = { 'x-forwarded-for': forwardedFor };
  return new Browser(origin).send('/api/auth/refresh', { method: 'POST', headers });
}

/** Expects a refusal until a window is over that began at this moment or later. */
function expectRateLimited(
  { status, body, headers }: Answer,
  { startedAt, windowSeconds }: { startedAt: number; windowSeconds: number },
): void {
  const passedSeconds = (Date.now() - startedAt) / 1000;
  expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(windowSeconds - passedSeconds - 1);
  expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(windowSeconds);
}
