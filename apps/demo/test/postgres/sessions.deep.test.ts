import { setTimeout as sleep } from 'node:timers/promises';
import { createServer, type Server } from '@x/server';
import type { UserId } from '@x/store';
import { createPostgresStores } from '@x/store-postgres';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startStopwatch, type Stopwatch } from '../../../../tooling/stopwatch.ts';
import { newAccount } from '../support/accounts.ts';
import { countCodes } from '../support/count-codes.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { askAtOnce, type Four, type FourDemos, useFourDemos } from '../support/four-demos.ts';
import { query } from '../support/postgres-database.ts';
import { refresh, refreshTokenOf } from '../support/refresh.ts';
import { storeSessions } from '../support/stored-sessions.ts';

const demos = useFourDemos({ variables: { SIGNIN_RATE_LIMIT: '96/1m' } });

/** A user with two sessions: one to be ended, and one to do it. */
interface Devices {
  readonly userId: string;
  readonly account: { readonly email: string; readonly password: string };
  /** The session that is ended, on every process. */
  readonly lost: Four<Browser>;
  readonly kept: Four<Browser>;
}

/** What ends a session, each asking the first process, or none of them where it is the process of these tests. */
const ways: Readonly<Record<string, (devices: Devices) => Promise<unknown>>> = {
  'signs out': async ({ lost }) => expectOk(await lost[0].at(lost[0].url).post('/api/auth/signout')),
  'is revoked by another one': async ({ lost, kept }) => {
    const id = (await lost[0].get('/api/auth/session')).body.session?.id;
    expectOk(await kept[0].delete(`/api/auth/sessions/${id}`));
  },
  'is one of all others': async ({ kept }) => expectOk(await kept[0].delete('/api/auth/sessions')),
  'has a token reused': async ({ lost: [first, second, third] }) => {
    const token = refreshTokenOf(first);
    const { token: next = '' } = await refresh(second.url, token);
    await refresh(third.url, next);
    expect((await refresh(first.url, token)).answer.status).toBe(401);
  },
  'gives way to the 51st': async ({ userId, account, lost: [{ url }] }) => {
    await storeSessions(demos(), userId, 48);
    expectOk(await new Browser(url).post('/api/auth/signin', account));
  },
  'has its user disabled by an operator': async ({ userId }) => {
    const server = await startServer(demos());
    expect(await server.auth.admin.disableUser(userId as UserId)).toMatchObject({ ok: true });
  },
  'has its user signed out by an operator': async ({ userId }) => {
    const server = await startServer(demos());
    expect(await server.auth.admin.signOutUser(userId as UserId)).toMatchObject({ ok: true });
  },
  'is from before its user got another role': async ({ userId }) => {
    const server = await startServer(demos());
    expect(await server.auth.admin.setRole(userId as UserId, 'admin')).toMatchObject({ ok: true });
  },
};

it.each(Object.entries(ways))(
  'refuses a JWT on every process within a second where its session %s',
  async (_how, end) => {
    const devices = await signUpTwice(demos().origins);
    for (const browser of devices.lost) expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    await end(devices);
    const delays = await Promise.all(
      devices.lost.map((browser, index) => untilRefused(browser, startStopwatch([demos().processIds[index]!]))),
    );
    expect(Math.max(...delays)).toBeLessThan(1000);
    for (const browser of devices.lost) {
      const refused = await browser.get('/api/auth/sessions');
      expect([refused.status, refused.body.error?.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  },
);

it('leaves at most 50 sessions active at any moment of 60 parallel sign-ins over four processes', async () => {
  const { databaseUrl, origins } = demos();
  const account = newAccount();
  const { user } = (await new Browser(origins[0]).post('/api/auth/signup', account)).body;
  const watch = await watchActive(databaseUrl, user.id);
  const answers = await askAtOnce(demos(), 60, (browser) => browser.post('/api/auth/signin', account));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  const seen = await watch.stop();
  expect(Math.max(...seen)).toBe(50);
  expect(seen.at(-1)).toBe(50);
  expect(new Set(seen).size, 'numbers between the first and the last').toBeGreaterThan(5);
  const sql = 'SELECT id FROM auth_sessions WHERE user_id = $1 AND revoked_at IS NOT NULL';
  expect(await query(databaseUrl, sql, [user.id])).toHaveLength(11);
});

it('allows exactly as many of 200 parallel sign-ins as SIGNIN_RATE_LIMIT says', async () => {
  const { origins } = demos();
  const guess = newAccount();
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => new Browser(origins[index % 4]!).post('/api/auth/signin', guess)),
  );
  expect(countCodes(answers)).toEqual({ INVALID_CREDENTIALS: 96, RATE_LIMITED: 104 });
});

async function signUpTwice([first, second, third, fourth]: Four<string>): Promise<Devices> {
  const account = newAccount();
  const everywhere = (browser: Browser): Four<Browser> => [
    browser,
    browser.at(second),
    browser.at(third),
    browser.at(fourth),
  ];
  const [lost, kept] = [new Browser(first), new Browser(first)];
  const { user } = (await lost.post('/api/auth/signup', account)).body;
  expectOk(await kept.post('/api/auth/signin', account));
  return { userId: user.id, account, lost: everywhere(lost), kept: everywhere(kept) };
}

/** Asks until the JWT of a browser is refused; returns when that was. */
async function untilRefused(browser: Browser, stopwatch: Stopwatch): Promise<number> {
  const expectNone = async (): Promise<void> =>
    expect((await browser.get('/api/auth/session')).body).toEqual({ session: null });
  await vi.waitFor(expectNone, { timeout: 5000, interval: 2 });
  return stopwatch();
}

/** Starts a server without a port on the database, in the process of the tests. */
async function startServer({ databaseUrl, variables }: FourDemos): Promise<Server> {
  const server = await createServer({
    database: createPostgresStores({ url: databaseUrl, clock: { now: () => new Date() }, maxConnections: 2 }),
    auth: {
      production: false,
      session: { strategy: 'jwt', algorithm: 'ES256' },
      privateKey: variables['JWT_PRIVATE_KEY'] ?? '',
      publicKey: variables['JWT_PUBLIC_KEY'] ?? '',
      secrets: [variables['ENCRYPTION_KEY'] ?? ''],
    },
  });
  onTestFinished(() => server.close());
  return server;
}

/** Counts a user's active sessions over and over, past all code of the demo, until it is stopped or the test ends. */
async function watchActive(url: string, userId: string): Promise<{ stop: () => Promise<readonly number[]> }> {
  const client = new pg.Client(url);
  await client.connect();
  const sql = 'SELECT COUNT(*) FROM auth_sessions WHERE user_id = $1 AND revoked_at IS NULL';
  const count = async (): Promise<number> =>
    Number((await client.query<{ count: string }>(sql, [userId])).rows[0]?.count);
  let isOver = false;
  const watching = (async () => {
    const seen: number[] = [];
    for (; !isOver; await sleep(0)) seen.push(await count());
    return [...seen, await count()];
  })();
  const stop = async (): Promise<readonly number[]> => {
    isOver = true;
    return watching;
  };
  onTestFinished(async () => {
    await stop();
    await client.end();
  });
  return { stop };
}

function expectOk({ status, text }: Answer): void {
  expect(status, text).toBe(200);
}
