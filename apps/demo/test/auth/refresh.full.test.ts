import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { refresh, refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each([
  { grace: '10s, which is the default', variables: {}, within: 0, beyond: 11 },
  { grace: '60s', variables: { REFRESH_GRACE: '60s' }, within: 45, beyond: 16 },
])('accepts a retry within $grace, which no retry extends, and ends the session after it', async (given) => {
  const browser = await signUp(given.variables);
  const old = refreshTokenOf(browser);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  const successor = refreshTokenOf(browser);

  await advance(browser, given.within);
  const retry = await refresh(browser.url, old);
  expect([retry.answer.status, retry.token]).toEqual([200, successor]);

  await advance(browser, given.beyond);
  const tooLate = await refresh(browser.url, old);
  expectSessionExpired(tooLate.answer);
  expect(tooLate.token).toBeUndefined();
  expectSessionExpired((await refresh(browser.url, successor)).answer);
});

it('extends no session beyond the REFRESH_TTL of its sign-in', async () => {
  const browser = await signUp({ SESSION_TTL: '20s', REFRESH_TTL: '100s' });
  await advance(browser, 60);
  const refreshed = await browser.post('/api/auth/refresh');
  const [, maxAge] = /^app\.ref=[^;].*; Max-Age=(\d+);/m.exec(refreshed.headers.getSetCookie().join('\n')) ?? [];
  expect(Number(maxAge)).toBeGreaterThan(0);
  expect(Number(maxAge)).toBeLessThanOrEqual(40);
  await advance(browser, 40);
  expectSessionExpired(await browser.post('/api/auth/refresh'));
  expect([...browser.cookies]).toEqual([]);
});

/** Starts a demo and signs a user up to it. */
async function signUp(variables: Readonly<Record<string, string>> = {}): Promise<Browser> {
  const demo = await startDemo({ folder: makeFolder(), variables });
  const browser = new Browser(demo.origin);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  return browser;
}

it('accepts a retry days later until the successor is used, if REFRESH_GRACE says so', async () => {
  const browser = await signUp({ REFRESH_GRACE: 'until-used', REFRESH_TTL: '30d' });
  const old = refreshTokenOf(browser);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  const successor = refreshTokenOf(browser);
  await advance(browser, 7 * 86_400);
  const retry = await refresh(browser.url, old);
  expect([retry.answer.status, retry.token]).toEqual([200, successor]);

  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  expectSessionExpired((await refresh(browser.url, old)).answer);
  expectSessionExpired((await refresh(browser.url, refreshTokenOf(browser))).answer);
});

async function advance(browser: Browser, advanceSeconds: number): Promise<{ readonly now: number }> {
  const { now } = (await browser.post('/dev/clock', { advanceSeconds })).body;
  return { now: Date.parse(now) };
}

function expectSessionExpired({ status, body }: Answer): void {
  expect([status, body.error.code]).toEqual([401, 'SESSION_EXPIRED']);
}
