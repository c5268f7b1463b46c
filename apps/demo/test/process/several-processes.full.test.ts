import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { newAccount, password } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { query } from '../support/database-file.ts';
import { startDemo } from '../support/demo-process.ts';
import { makeFolder } from '../support/temporary-folder.ts';
import { startTwo } from '../support/two-demos.ts';

it('lets an account of one process sign in at the other, with JWTs that both accept', async () => {
  const [one, two] = await startTwo(makeFolder());
  const account = newAccount();
  expect((await one.post('/api/auth/signup', account)).status).toBe(201);
  expect((await two.post('/api/auth/signin', account)).status).toBe(200);
  const cookies = new Map(one.cookies);
  one.cookies.set('app.sid', two.cookies.get('app.sid') ?? '');
  two.cookies.set('app.sid', cookies.get('app.sid') ?? '');
  const sessions = await Promise.all([one.get('/api/auth/session'), two.get('/api/auth/session')]);
  expect(sessions.map(({ body }) => body.session?.user.email)).toEqual([account.email, account.email]);
});

it('creates exactly one account for 100 parallel sign-ups with one address over two processes', async () => {
  const folder = makeFolder();
  const [one, two] = await startTwo(folder, { RATE_LIMIT_FACTOR: '100' });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (index % 2 === 0 ? one : two).post('/api/auth/signup', { email: spell('ada@example.com', index), password }),
    ),
  );
  const outcomes = answers.map(({ status, body }) => body.error?.code ?? status);
  expect(outcomes.toSorted()).toEqual([201, ...Array.from({ length: 99 }, () => 'USER_EXISTS')]);
  expect(query(join(folder, '.data/demo.db'), 'SELECT email, login_email FROM auth_users')).toEqual([
    { email: 'ada@example.com', login_email: 'ada@example.com' },
  ]);
  const signedIn = await Promise.all(
    [one, two].map((browser) => browser.post('/api/auth/signin', { email: 'ADA@EXAMPLE.COM', password })),
  );
  expect(signedIn.map(({ status }) => status)).toEqual([200, 200]);
});

// That it takes a second at most is for shared-clock.test.ts to show, where no other process takes its time.
it('moves the clock of the other process, and ends the JWTs there', async () => {
  const [one, two] = await startTwo(makeFolder());
  await two.post('/api/auth/signup', newAccount());
  expect((await two.get('/api/auth/session')).body.session).not.toBeNull();
  const { now } = (await one.post('/dev/clock', { advanceSeconds: 61 })).body;
  await vi.waitFor(async () => expect((await two.get('/api/auth/session')).body).toEqual({ session: null }), {
    timeout: 30_000,
    interval: 50,
  });
  const seen = (await two.post('/dev/clock', { advanceSeconds: 0 })).body.now;
  expect(Date.parse(seen)).toBeGreaterThanOrEqual(Date.parse(now));
});

it('adds up advances of the clock by two processes at the same moment', async () => {
  const [one, two] = await startTwo(makeFolder());
  const startedAt = Date.now();
  await Promise.all([one, two, one, two].map((browser) => browser.post('/dev/clock', { advanceSeconds: 1000 })));
  const { now } = (await one.post('/dev/clock', { advanceSeconds: 0 })).body;
  expect(Date.parse(now) - startedAt).toBeGreaterThanOrEqual(4_000_000);
  expect(Date.parse(now)).toBeLessThanOrEqual(Date.now() + 4_000_000);
});

it('starts 16 processes at once on an empty folder, with one key pair, one secret and one schema', async () => {
  const folder = makeFolder();
  const demos = await Promise.all(Array.from({ length: 16 }, () => startDemo({ folder })));
  const browsers = demos.map(({ origin }) => new Browser(origin));
  const jwks = await Promise.all(browsers.map((browser) => browser.get('/api/auth/.well-known/jwks.json')));
  expect(new Set(jwks.map(({ text }) => text)).size).toBe(1);
  expect(jwks[0]?.body.keys).toHaveLength(1);
  expect(readdirSync(join(folder, '.data/keys')).toSorted()).toEqual([
    '.gitignore',
    'encryption-key.secret',
    'rs256-key.pem',
  ]);
  expect(query(join(folder, '.data/demo.db'), 'SELECT number FROM auth_migrations')).toEqual([{ number: 1 }]);

  const signedUp = await Promise.all(browsers.map((browser) => browser.post('/api/auth/signup', newAccount())));
  expect(statusesOf(signedUp)).toEqual(demos.map(() => 201));
  // One process made the refresh token, the next one has to know it.
  const signedOut = await Promise.all(
    browsers.map((browser, index) => {
      const next = new Browser(demos[(index + 1) % 16]!.origin);
      next.cookies.set('app.ref', browser.cookies.get('app.ref') ?? '');
      return next.post('/api/auth/signout');
    }),
  );
  expect(statusesOf(signedOut)).toEqual(demos.map(() => 200));
  expect(query(join(folder, '.data/demo.db'), 'SELECT id FROM auth_sessions WHERE revoked_at IS NULL')).toEqual([]);
  const endings = await Promise.all(demos.map((demo) => demo.stop()));
  expect(endings).toEqual(demos.map(() => ({ code: 0, signal: null })));
});

/** Spells an address with those letters in upper case whose bit is set. */
function spell(address: string, bits: number): string {
  return address.replaceAll(/[a-z]/g, (letter, index: number) =>
    (bits >> (index % 7)) & 1 ? letter.toUpperCase() : letter,
  );
}

function statusesOf(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ status }) => status);
}
