import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it('serves a user from sign-up to sign-out, and keeps accounts, keys and secrets over a restart', async () => {
  const folder = makeFolder();
  const ada = newAccount('ada');
  const first = await startDemo({ folder });
  const browser = new Browser(first.origin);

  expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
  expect((await browser.get('/api/auth/session')).body.session?.user.email).toBe(ada.email);
  expect((await browser.post('/api/auth/signout')).status).toBe(200);
  expect((await browser.get('/api/auth/session')).body).toEqual({ session: null });

  expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
  const session = (await browser.get('/api/auth/session')).body.session;
  const jwks = (await browser.get('/api/auth/.well-known/jwks.json')).body;
  const secret = readSecret(folder);
  expect(await first.stop()).toEqual({ code: 0, signal: null });

  const second = await startDemo({ folder });
  const later = new Browser(second.origin);
  for (const [name, value] of browser.cookies) later.cookies.set(name, value);
  expect((await later.get('/api/auth/session')).body.session).toEqual(session);
  expect((await later.get('/api/auth/.well-known/jwks.json')).body).toEqual(jwks);
  expect(readSecret(folder)).toBe(secret);
  // The refresh token alone identifies the session: its secret is the same, too.
  later.cookies.delete('app.sid');
  expect((await later.post('/api/auth/signout')).status).toBe(200);
  expect((await later.post('/api/auth/signin', ada)).status).toBe(200);
});

it('keeps the offset of the clock over a restart', async () => {
  const folder = makeFolder();
  const first = await startDemo({ folder });
  const before = new Browser(first.origin);
  await before.post('/api/auth/signup', newAccount());
  const advanced = await before.post('/dev/clock', { advanceSeconds: 7200 });
  expect(Date.parse(advanced.body.now)).toBeGreaterThanOrEqual(Date.now() + 7_199_000);
  await first.stop();

  const second = await startDemo({ folder });
  const after = new Browser(second.origin);
  const { body } = await after.post('/dev/clock', { advanceSeconds: 0 });
  expect(Date.parse(body.now)).toBeGreaterThanOrEqual(Date.parse(advanced.body.now));
});

it('refuses to turn the clock back, or beyond the range of a date', async () => {
  const demo = await startDemo({ folder: makeFolder() });
  const browser = new Browser(demo.origin);
  const tooFar = 300_000_000_000;
  for (const body of [{ advanceSeconds: -1 }, { advanceSeconds: '1' }, { advanceSeconds: tooFar }, {}, [], null]) {
    const refused = await browser.post('/dev/clock', body);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  expect((await browser.post('/dev/clock', { advanceSeconds: tooFar * 0.8 })).status).toBe(200);
  expect((await browser.post('/dev/clock', { advanceSeconds: tooFar * 0.8 })).status).toBe(400);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
});

it('is alive and ready while the database works', async () => {
  const demo = await startDemo({ folder: makeFolder(), variables: { DATABASE_URL: 'memory:' } });
  const browser = new Browser(demo.origin);
  for (const path of ['/healthz', '/readyz']) {
    const answer = await browser.get(path);
    expect([path, answer.status, answer.body]).toEqual([path, 200, { status: 'ok' }]);
  }
});

function readSecret(folder: string): string {
  return readFileSync(join(folder, '.data/keys/encryption-key.secret'), 'utf8');
}
