import { createServer } from '@x/server';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RenderedSession } from '@x/auth';
import { createPostgresStores } from '@x/store-postgres';
import { patient } from '@x/store-testing';
import { createPostgresDatabase as createPostgres } from '@x/test-support/database';
import { runAtOnce } from '@x/test-support/programs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allEngines, createDatabase } from '../../support/databases.ts';
import { storedSession } from '../../support/refresh-tokens.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

const second = 1000;

describe.each(allEngines)('pages rendered for their user on %s', (engine) => {
  it('take the session from a valid JWT, and set no cookie', async () => {
    const [test] = await startServers(engine, 1);
    const browser = await signUp(test);
    const { session, setCookie } = await render(test, browser);
    expect([session?.user.email, session?.expiresAt, setCookie]).toEqual([
      ada.email,
      new Date(test.clock.now().getTime() + 60 * second),
      [],
    ]);
    expect(await storedSession(test, refreshTokenOf(browser))).toMatchObject({ generation: 0 });
  });

  it('get new cookies once the JWT has expired, which sign in everywhere', async () => {
    const [test] = await startServers(engine, 1);
    const browser = await signUp(test);
    const before = await render(test, browser);
    test.clock.advance(60 * second);
    const { session, setCookie } = await render(test, browser);
    expect(session).toMatchObject({ id: before.session?.id, user: before.session?.user });
    expect(session?.expiresAt).toEqual(new Date(test.clock.now().getTime() + 60 * second));
    const set = setCookie.filter((cookie) => !cookie.includes('Max-Age=0'));
    expect(set.map((cookie) => cookie.replace(/=[^;]+/, ''))).toEqual([
      'app.sid; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Lax',
      'app.ref; Max-Age=604740; Path=/; HttpOnly; Secure; SameSite=Lax',
    ]);
    take(browser, setCookie);
    expect(await render(test, browser)).toEqual({ session, setCookie: [] });
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ id: session?.id });
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('get one successor when their parts ask at once, through 3 servers, and raise no alarm', async () => {
    const servers = await startServers(engine, 3);
    const [test] = servers;
    const browser = await signUp(test);
    for (let generation = 1; generation <= 3; generation++) {
      // A process that has verified the JWT before knows at once that it is over, so that all parts ask at once.
      for (const server of servers) expect((await render(server, browser)).setCookie).toEqual([]);
      test.clock.advance(61 * second);
      const parts = await Promise.all(Array.from({ length: 60 }, (_, part) => render(servers[part % 3]!, browser)));
      expect(new Set(parts.map(({ session }) => session?.user.email))).toEqual(new Set([ada.email]));
      expect(new Set(parts.map(({ setCookie }) => setCookie.at(-1))).size).toBe(1);
      // Those in one process share the refresh, and so the JWT.
      expect(new Set(parts.map(({ setCookie }) => setCookie[0])).size).toBeLessThanOrEqual(3);
      take(browser, parts[0]!.setCookie);
      expect(await storedSession(test, refreshTokenOf(browser))).toMatchObject({ generation, revokedAt: null });
    }
    expect(await alarms(test, browser)).toEqual([]);
  });

  it('keep their user signed in for an hour though every third page never arrives', async () => {
    const servers = await startServers(engine, 2, { session: { ...toPages, refreshGrace: 'until-used' } });
    const [test] = servers;
    const browser = await signUp(test);
    for (let page = 0; page < 48; page++) {
      test.clock.advance(75 * second);
      const parts = await Promise.all(Array.from({ length: 4 }, (_, part) => render(servers[part % 2]!, browser)));
      for (const { session } of parts) expect(session?.user.email).toBe(ada.email);
      if (page % 3 !== 0) take(browser, parts[page % 4]!.setCookie);
    }
    expect(await alarms(test, browser)).toEqual([]);
  });

  it('are for visitors without a session: without cookies, with malformed, ambiguous and forged ones', async () => {
    const [test] = await startServers(engine, 1);
    const browser = await signUp(test);
    const forged = Buffer.from(refreshTokenOf(browser), 'base64url').fill(0, 20).toString('base64url');
    for (const cookie of ['', 'app.ref=', 'app.ref=x', `app.ref=${refreshTokenOf(browser)}; app.ref=x`, 'app.sid=x']) {
      expect(await renderWith(test, { cookie })).toEqual({ session: null, setCookie: [] });
    }
    expect(await renderWith(test, { cookie: `app.ref=${forged}` })).toEqual({ session: null, setCookie: cleared });
    expect(await storedSession(test, refreshTokenOf(browser))).toMatchObject({ generation: 0, revokedAt: null });
  });

  it('sign out the browser of a session that has ended', async () => {
    const [test] = await startServers(engine, 1);
    const browser = await signUp(test);
    test.clock.advance(61 * second);
    await test.server.auth.api.signOut(headersOf(browser));
    expect(await render(test, browser)).toEqual({ session: null, setCookie: cleared });
  });

  it('end a session whose token is used again after its time, as a refresh does', async () => {
    const [test] = await startServers(engine, 1);
    const browser = await signUp(test);
    const stolen = headersOf(browser);
    test.clock.advance(61 * second);
    take(browser, (await render(test, browser)).setCookie);
    test.clock.advance(61 * second);
    expect(await renderWith(test, stolen)).toEqual({ session: null, setCookie: cleared });
    expect(await render(test, browser)).toEqual({ session: null, setCookie: cleared });
    expect(await alarms(test, browser)).toHaveLength(1);
  });

  it('are limited to 60 refreshes of a session in a minute, not counting those of others', async () => {
    const [test] = await startServers(engine, 1);
    const [browser, other] = [await signUp(test), await signUp(test, { ...ada, email: 'bob@example.com' })];
    const token = (from: TestClient) => new Headers({ cookie: `app.ref=${refreshTokenOf(from)}` });
    const { api } = test.server.auth;
    for (let times = 0; times < 60; times++) expect((await api.getOrRefreshSession(token(browser))).ok).toBe(true);
    expect(await api.getOrRefreshSession(token(browser))).toMatchObject({
      ok: false,
      error: { code: 'RATE_LIMITED', retryAfter: 60 },
    });
    expect((await renderWith(test, token(other))).session?.user.email).toBe('bob@example.com');
    test.clock.advance(60 * second);
    expect((await renderWith(test, token(browser))).session).toBeNull();
  });
});

it('refuses to render pages that browsers send no refresh token', async () => {
  const { server } = await createTestServer();
  await expect(server.auth.api.getOrRefreshSession(new Headers())).rejects.toThrow(/refreshPath to '\/'/);
});

it('gives pages of 2 processes on Postgres one successor', async () => {
  const database = await createPostgres();
  onTestFinished(() => database.drop());
  const developmentKeysPath = mkdtempSync(join(tmpdir(), 'x-rendered-pages-'));
  const stores = createPostgresStores({ patience: patient, url: database.url, clock: { now: () => new Date() } });
  const server = await createServer({
    database: stores,
    auth: { production: false, developmentKeysPath, session: { ...toPages, algorithm: 'ES256' } },
  });
  onTestFinished(() => server.close());
  await server.initialize();
  const signedUp = await server.auth.api.signUp(ada);
  const cookies = signedUp.ok ? (signedUp.value?.cookies ?? []) : [];
  const [, token = ''] = /^app\.ref=([^;]+)/.exec(cookies.at(-1) ?? '') ?? [];
  const input = JSON.stringify({ url: database.url, developmentKeysPath, token, times: 30 });
  const program = new URL('../../support/render-pages.mjs', import.meta.url);
  const printed = (await runAtOnce(2, program, input)).map((text) => JSON.parse(text) as PagesOfProcess);
  expect(printed.map(({ emails }) => emails)).toEqual([[ada.email], [ada.email]]);
  expect(printed.map(({ successors }) => successors.length)).toEqual([1, 1]);
  expect(printed[0]?.successors).toEqual(printed[1]?.successors);
  const [successor = ''] = printed[0]?.successors ?? [];
  expect(await storedSession({ server }, successor)).toMatchObject({ generation: 1, revokedAt: null });
});

/** The distinct results of the pages that a process rendered. */
interface PagesOfProcess {
  readonly emails: readonly (string | null)[];
  readonly successors: readonly string[];
}

/** Session settings under which browsers send pages the refresh token. */
const toPages = { strategy: 'jwt', cookie: { refreshPath: '/' } } as const;

const cleared = [
  ['app.sid', '/'],
  ['app.ref', '/api'],
  ['app.ref', '/api/auth'],
  ['app.ref', '/'],
].map(([name, path]) => `${name}=; Max-Age=0; Path=${path}; HttpOnly; Secure; SameSite=Lax`);

async function startServers(
  engine: (typeof allEngines)[number],
  count: number,
  auth: TestServerOptions['auth'] = { session: toPages },
): Promise<readonly [TestServer, ...TestServer[]]> {
  const database = await createDatabase(engine);
  const session = { algorithm: 'ES256', ...auth.session, strategy: 'jwt' } as const;
  const start = () => createTestServer({ database, auth: { ...auth, session } });
  return [await start(), ...(await Promise.all(Array.from({ length: count - 1 }, start)))];
}

async function signUp({ client }: TestServer, credentials = ada): Promise<TestClient> {
  const browser = client();
  expect((await browser.post('/api/auth/signup', credentials)).status).toBe(201);
  return browser;
}

function render(test: TestServer, browser: TestClient): Promise<RenderedSession> {
  return renderWith(test, headersOf(browser));
}

async function renderWith({ server }: TestServer, headers: HeadersInit): Promise<RenderedSession> {
  const result = await server.auth.api.getOrRefreshSession(new Headers(headers));
  if (!result.ok) throw new Error(result.error.code);
  return result.value;
}

function headersOf({ cookies }: TestClient): Headers {
  return new Headers({ cookie: [...cookies].map((pair) => pair.join('=')).join('; ') });
}

function refreshTokenOf({ cookies }: TestClient): string {
  return cookies.get('app.ref') ?? '';
}

/** Does what a browser does with the cookies of a page. */
function take(browser: TestClient, setCookie: readonly string[]): void {
  for (const cookie of setCookie) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    browser.cookies.set(name, value);
  }
}

async function alarms(test: TestServer, browser: TestClient): Promise<readonly object[]> {
  const { userId } = await storedSession(test, refreshTokenOf(browser));
  const { items } = await test.server.stores.events.listByUser(userId, { limit: 100, after: null });
  return items.filter(({ type }) => type === 'refresh_token.reused');
}
