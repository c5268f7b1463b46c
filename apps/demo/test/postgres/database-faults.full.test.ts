import { startTcpProxy, type TcpProxy } from '@x/test-support/network';
import { startPostgres } from '@x/test-support/postgres';
import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { type Answer, Browser } from '../support/browser.ts';
import { type DemoProcess, type Ending, startDemo } from '../support/demo-process.ts';
import { count, createDatabase } from '../support/postgres-database.ts';
import { openSocket } from '../support/raw-socket.ts';
import { makeFolder } from '../support/temporary-folder.ts';

it.each<{ fault: string; begin: (proxy: TcpProxy) => Promise<void> | void }>([
  { fault: 'away', begin: (proxy) => proxy.cut() },
  { fault: 'silent', begin: (proxy) => proxy.stall() },
])('responds 503 while the database is $fault, and recovers after', async ({ begin }) => {
  const { demo, proxy } = await startBehindProxy(impatient);
  const ending = await expectToSurvive(demo, { begin: () => begin(proxy), end: () => proxy.restore() });
  expect(ending).toEqual({ code: 0, signal: null });
});

it('responds 503 while the database restarts after a kill, and recovers after', async () => {
  await using server = await startPostgres({ durable: false });
  const demo = await startOn(server.url, impatient);
  const ending = await expectToSurvive(demo, { begin: () => server.kill(), end: () => server.start() });
  expect(ending).toEqual({ code: 0, signal: null });
});

it('lets a refresh be retried if the database was cut off before it confirmed the commit', async () => {
  const { demo, proxy, url } = await startBehindProxy();
  const browser = await signUp(demo);
  const cookies = new Map(browser.cookies);
  const session = await lockSessions(url);
  const refreshing = browser.post('/api/auth/refresh');
  const until = { timeout: 30_000, interval: 5 };
  await vi.waitFor(async () => expect(await count(url, countWaiting)).toBe(1), until);
  // The rotation has arrived, and its confirmation will not.
  proxy.stall();
  await session.unlock();
  await vi.waitFor(async () => expect(await count(url, 'SELECT generation FROM auth_sessions')).toBe(1), until);
  proxy.killConnections();
  await proxy.restore();
  expectRefused(await refreshing);
  expect(browser.cookies).toEqual(cookies);
  await recover(async () => expect((await browser.post('/api/auth/refresh')).status).toBe(200));
  expect(browser.cookies.get('app.ref')).not.toBe(cookies.get('app.ref'));
  expect((await browser.get('/api/auth/sessions')).status).toBe(200);
});

it('completes everything in flight at a SIGTERM, then exits', async () => {
  const { demo, proxy, url } = await startBehindProxy();
  proxy.delay(20);
  const browsers = Array.from({ length: 8 }, () => new Browser(demo.origin));
  await Promise.all(browsers.map((browser) => browser.get('/healthz')));
  const signingUp = browsers.map((browser) => browser.post('/api/auth/signup', newAccount()));
  await Promise.race(signingUp);
  expect(await demo.stop()).toEqual({ code: 0, signal: null });
  expect((await Promise.all(signingUp)).map(({ status }) => status)).toEqual(browsers.map(() => 201));
  expect(await count(url, 'SELECT COUNT(*) FROM auth_users')).toBe(8);
});

it('exits soon after a SIGTERM while the database is silent, and refuses requests in flight', async () => {
  const { demo, proxy } = await startBehindProxy(impatient);
  const { cookies } = await signUp(demo);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const client = await openSocket(demo.port);
  proxy.stall();
  client.send(`GET /api/auth/sessions HTTP/1.1\r\nHost: localhost\r\nCookie: ${cookie}\r\n\r\n`);
  // A later connection is answered after the earlier one was read.
  await new Browser(demo.origin).get('/healthz');
  const ending = demo.stop();
  expect(await client.ended).toMatch(/^HTTP\/1\.1 503 .*^retry-after: \d+\r$.*"code":"SERVICE_UNAVAILABLE"/ims);
  expect(await ending).toEqual({ code: 0, signal: null });
});

/** How many connections of a database wait for a lock on a row. */
const countWaiting = `SELECT COUNT(*) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Keeps everybody from changing the sessions of a database until they are unlocked. */
async function lockSessions(url: string): Promise<{ readonly unlock: () => Promise<void> }> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('BEGIN; SELECT id FROM auth_sessions FOR UPDATE');
  return { unlock: () => client.query('COMMIT').then(() => client.end()) };
}

interface BehindProxy {
  readonly demo: DemoProcess;
  readonly proxy: TcpProxy;
  /** The database, past the proxy. */
  readonly url: string;
}

async function startBehindProxy(variables: Readonly<Record<string, string>> = {}): Promise<BehindProxy> {
  const url = await createDatabase();
  const { hostname, port } = new URL(url);
  const proxy = await startTcpProxy({ host: hostname, port: Number(port || 5432) });
  // A connection that is silent before it has said who it is keeps Postgres from dropping any database for a minute.
  onTestFinished(() => proxy.cut());
  const { href } = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) });
  const demo = await startOn(href, variables);
  return { demo, proxy, url };
}

/** Enough for a busy machine, and little enough to wait for refusals. */
const impatient = { TEST_PATIENCE_MS: '4000' };

function startOn(databaseUrl: string, more: Readonly<Record<string, string>>): Promise<DemoProcess> {
  const variables = { DATABASE_URL: databaseUrl, JWT_ALGORITHM: 'ES256', RATE_LIMIT_FACTOR: '100', ...more };
  return startDemo({ folder: makeFolder(), variables });
}

async function signUp(demo: DemoProcess, account = newAccount()): Promise<Browser> {
  const browser = new Browser(demo.origin);
  expect((await browser.post('/api/auth/signup', account)).status).toBe(201);
  return browser;
}

/**
 * Expects that a demo refuses during a fault what needs the database, and only that, and does all of it again after;
 * returns how that same process ends.
 */
async function expectToSurvive(
  demo: DemoProcess,
  fault: { readonly begin: () => Promise<void> | void; readonly end: () => Promise<void> },
): Promise<Ending> {
  const account = newAccount();
  const browser = await signUp(demo, account);
  const requests = [
    () => browser.post('/api/auth/signin', account),
    () => browser.post('/api/auth/refresh'),
    () => browser.get('/api/auth/sessions'),
    () => browser.get('/readyz'),
  ];
  const cookies = new Map(browser.cookies);
  await fault.begin();
  for (let round = 0; round < 2; round += 1) {
    const refusals = Promise.all(requests.map((request) => request()));
    expect((await browser.get('/api/auth/session')).body.session?.user.email).toBe(account.email);
    expect((await browser.get('/healthz')).status).toBe(200);
    for (const answer of await refusals) expectRefused(answer);
    expect(browser.cookies).toEqual(cookies);
  }

  await fault.end();
  const served = requests.map((request) => async () => expect((await request()).status).toBe(200));
  await Promise.all(served.map((attempt) => recover(attempt)));
  expect(demo.output()).not.toMatch(/unhandled/);
  return demo.stop();
}

function recover(attempt: () => Promise<void>): Promise<void> {
  return vi.waitFor(attempt, { timeout: 30_000, interval: 20 });
}

function expectRefused({ status, body, headers }: Answer): void {
  expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(body).toEqual({
    error: { code: 'SERVICE_UNAVAILABLE', message: expect.any(String), retryAfter: expect.any(Number) },
  });
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(headers.getSetCookie()).toEqual([]);
}
