import type { Server } from '@x/server';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestRequest } from '../../support/test-client.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const own = 'https://app.example.com';
const trusted = 'https://admin.example.com';

type Headers = NonNullable<TestRequest['headers']>;

/** A production server: it has one own origin and one trusted one. */
function createProductionServer(): Promise<TestServer> {
  const { pem } = generateKeys();
  return createTestServer({ auth: { production: true, baseUrl: own, trustedOrigins: [trusted], ...pem } });
}

/** Signs up with these headers, and returns the outcome and whether an account was created. */
async function signUpWith({ client, server }: TestServer, headers: Headers): Promise<[string | number, boolean]> {
  const response = await client().post('/api/auth/signup', ada, { headers });
  expect(response.headers.has('set-cookie')).toBe(response.status === 201);
  const isStored = (await server.stores.users.findByLoginEmail(ada.email)) !== null;
  return [response.status === 201 ? 201 : refusalOf(response), isStored];
}

const refused = ['CSRF_FAILED', false];
const accepted = [201, true];

describe('a request that writes', () => {
  it.each([null, '', '0', 'true', '11', '1, 1', '1,1', 'app'])('is refused with X-APP-Request %j', async (value) => {
    expect(await signUpWith(await createProductionServer(), { origin: own, 'x-app-request': value })).toEqual(refused);
  });

  it.each([own, trusted, 'https://APP.Example.com', 'HTTPS://app.example.com', `${own}:443`])(
    'is accepted from %s',
    async (origin) => {
      expect(await signUpWith(await createProductionServer(), { origin })).toEqual(accepted);
    },
  );

  it.each([
    ...['http://app.example.com', 'https://app.example.com:8443', 'https://app.example.com:80', 'https://example.com'],
    ...['https://app.example.com.evil', 'https://evil-app.example.com', 'https://evil.app.example.com'],
    ...['https://app.example.com.', 'https://app.example.com@evil.example', 'https://evil@app.example.com'],
    ...['https://app.example.com/', 'https://app.example.com/app', 'https://app.example.com\\@evil.example'],
    ...['https://app.example.com, https://evil.example', 'https://evil.example, https://app.example.com'],
    ...['//app.example.com', 'app.example.com', '*', 'https://*.example.com', 'https://xn--pp-0ia.example.com'],
    ...['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'file://', 'null', ''],
  ])('is refused from the origin %j, even with a good referer', async (origin) => {
    const server = await createProductionServer();
    expect(await signUpWith(server, { origin })).toEqual(refused);
    expect(await signUpWith(server, { origin, referer: `${own}/page` })).toEqual(refused);
  });

  it('is not compared with the host that it was sent to', async () => {
    const hosts = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' };
    const server = await createProductionServer();
    expect(await signUpWith(server, { ...hosts, origin: 'https://evil.example' })).toEqual(refused);
    expect(await signUpWith(server, { ...hosts, origin: own })).toEqual(accepted);
  });

  it.each([
    [`${own}/page?x=1#y`, accepted],
    [`${trusted}/`, accepted],
    [own, accepted],
    ['https://app.example.com.evil/', refused],
    ['https://evil.example/https://app.example.com/', refused],
    ['https://app.example.com@evil.example/', refused],
    ['http://app.example.com/', refused],
    ['about:blank', refused],
    ['app.example.com', refused],
    ['', refused],
    [null, refused],
  ])('is checked by the referer %j if it has no origin', async (referer, outcome) => {
    expect(await signUpWith(await createProductionServer(), { origin: null, referer })).toEqual(outcome);
  });

  it.each(['/api/auth/signup', '/api/auth/signin', '/api/auth/signout'])(
    'is refused at %s even without a cookie',
    async (path) => {
      const { client } = await createProductionServer();
      expect(refusalOf(await client().post(path, ada, { headers: { origin: 'https://evil.example' } }))).toBe(
        'CSRF_FAILED',
      );
      expect(refusalOf(await client().post(path, ada, { headers: { origin: null } }))).toBe('CSRF_FAILED');
    },
  );

  it.each([
    [own, 'same-origin', accepted],
    [own, 'same-site', accepted],
    [own, 'none', accepted],
    [own, 'cross-site', refused],
    [trusted, 'cross-site', accepted],
    ['https://evil.example', 'same-origin', refused],
  ])('is accepted or refused by the origin %s with Sec-Fetch-Site: %s', async (origin, site, outcome) => {
    expect(await signUpWith(await createProductionServer(), { origin, 'sec-fetch-site': site })).toEqual(outcome);
  });

  // A referer is a weaker statement than an origin, and no proof that a cross-site request is one of a trusted page.
  it.each([
    [`${own}/page`, 'same-origin', accepted],
    [`${own}/page`, 'same-site', accepted],
    [`${own}/page`, 'cross-site', refused],
    [`${trusted}/page`, 'same-site', accepted],
    [`${trusted}/page`, 'cross-site', refused],
    ['https://evil.example/', 'same-origin', refused],
    ['https://evil.example/', 'cross-site', refused],
  ])('is accepted or refused by the referer %s alone with Sec-Fetch-Site: %s', async (referer, site, outcome) => {
    const headers = { origin: null, referer, 'sec-fetch-site': site };
    expect(await signUpWith(await createProductionServer(), headers)).toEqual(outcome);
  });

  it('is not exempt because of an Authorization header', async () => {
    const headers = { origin: null, 'x-app-request': null, authorization: 'Bearer x' };
    expect(await signUpWith(await createProductionServer(), headers)).toEqual(refused);
  });

  it('is refused without ending the session if it signs out', async () => {
    const { client } = await createTestServer();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const response = await browser.post('/api/auth/signout', undefined, { headers: { 'x-app-request': null } });
    expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['CSRF_FAILED', []]);
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
  });
});

describe('the CSRF check in development', () => {
  it('accepts localhost on the port that a request came to, with any Host', async () => {
    const { server } = await createTestServer();
    const port = await serve(server);
    const codeFrom = async (origin: string, host: string): Promise<number> => {
      const headers = { Origin: origin, Host: host };
      return (await exchange(port, encodeRequest('POST /api/auth/signout', { headers }))).status;
    };
    expect(await codeFrom(`http://localhost:${port}`, `localhost:${port}`)).toBe(200);
    expect(await codeFrom(`http://127.0.0.1:${port}`, 'evil.example')).toBe(200);
    expect(await codeFrom('http://localhost:4000', 'localhost:4000')).toBe(403);
    expect(await codeFrom('http://evil.example', 'evil.example')).toBe(403);
    expect(await codeFrom(`https://localhost:${port}`, `localhost:${port}`)).toBe(403);
  });

  it('refuses the requests that production refuses', async () => {
    const server = await createTestServer();
    for (const headers of [
      { 'x-app-request': null },
      { origin: null },
      { origin: 'null' },
      { origin: 'http://evil' },
    ]) {
      expect(await signUpWith(server, headers)).toEqual(refused);
    }
  });
});

describe('a request that reads', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('changes nothing as %s, even if it asks to be another method', async (method) => {
    const { server, client } = await createTestServer();
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const before = await stateOf(server);
    const headers = { 'x-http-method-override': 'POST', 'x-method-override': 'POST', 'x-http-method': 'POST' };
    for (const path of ['signup', 'signin', 'signout', 'session']) {
      const query = `?_method=POST&email=new@example.com&password=${encodeURIComponent(ada.password)}`;
      const response = await browser.send(`/api/auth/${path}${query}`, { method, headers });
      expect(response.headers.getSetCookie()).toEqual([]);
      expect(response.status).toBe(path === 'session' && method !== 'OPTIONS' ? 200 : 405);
    }
    expect(await stateOf(server)).toEqual(before);
  });
});

async function stateOf({ stores }: Server): Promise<readonly unknown[]> {
  const user = await stores.users.findByLoginEmail(ada.email);
  return [user, await stores.users.findByLoginEmail('new@example.com'), await stores.sessions.listActive(user!.id)];
}
