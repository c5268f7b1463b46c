import { expect, it } from 'vitest';
import { newAccount } from '../support/accounts.ts';
import { Browser } from '../support/browser.ts';
import { type DemoProcess, startDemo } from '../support/demo-process.ts';
import { faultsOf } from '../support/faults.ts';
import { refresh, refreshTokenOf } from '../support/refresh.ts';
import { makeFolder } from '../support/temporary-folder.ts';

const longText = 'a'.repeat(5000);

it('refuses everything that is no refresh token, and ends no session by it', async () => {
  const demo = await start();
  const browser = await signUp(demo);
  const token = refreshTokenOf(browser);
  const jwt = browser.cookies.get('app.sid') ?? '';
  const bytes = Buffer.from(token, 'base64url');
  const forged = Buffer.from(bytes).fill(0, 20).toString('base64url');
  const later = Buffer.from(bytes);
  later.writeUInt32BE(2 ** 32 - 1, 16);
  const cookies = [
    ...['', 'x', '%', '"', 'null', '{}', '[]', '__proto__', longText, '\xff\xfe', 'ä', `"${token}"`, encodeURI('☃')],
    ...[token.slice(0, -1), `${token}A`, `${token}=`, `${token}.`, token.toUpperCase(), `${token.slice(0, -1)}_`],
    ...[jwt, forged, later.toString('base64url'), Buffer.alloc(52).toString('base64url'), 'A'.repeat(70)],
    ...[`x; app.ref=${token}`, `${token}; app.ref=x`],
  ].map((value) => `app.ref=${value}`);
  for (const cookie of [...cookies, `app.ref`, `=${token}`, `App.Ref=${token}`, `\xa0app.ref=${token}`, ';;;=;']) {
    const stranger = new Browser(demo.origin);
    const answer = await stranger.send('/api/auth/refresh', { method: 'POST', headers: { cookie } });
    expect([cookie, answer.status, answer.body.error.code]).toEqual([cookie, 401, 'SESSION_EXPIRED']);
    expect(answer.headers.getSetCookie()).toHaveLength(2);
  }
  expect((await refresh(demo.origin, token)).answer.status).toBe(200);
  expect(await faultsOf(demo)).toEqual([]);
});

it('finds no session by an invalid id', async () => {
  const demo = await start();
  const browser = await signUp(demo);
  const ids = [
    ...['x', '*', '0', '-1', '1e999', 'null', 'undefined', '__proto__', 'constructor', "'%20OR%201=1--", ';', '%3B'],
    ...['%00', '%ff', '%', '%2e%2e%2f', '%2F', '%5C', '%E2%98%83', '%0d%0aA:b', '[object%20Object]', '{}', longText],
    ...[crypto.randomUUID(), crypto.randomUUID().toUpperCase(), `%20${crypto.randomUUID()}`, `${crypto.randomUUID()}0`],
  ];
  for (const id of ids) {
    const answer = await browser.delete(`/api/auth/sessions/${id}`);
    expect([id, answer.status, answer.body.error.code]).toEqual([id, 404, expect.stringMatching(/NOT_FOUND$/)]);
    const anonymous = await new Browser(demo.origin).delete(`/api/auth/sessions/${id}`);
    expect([id, anonymous.status]).toEqual([id, expect.toSatisfy((status) => status === 401 || status === 404)]);
  }
  expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
  expect(await faultsOf(demo)).toEqual([]);
});

it('refuses unexpected bodies before anything happens', async () => {
  const demo = await start();
  const browser = await signUp(demo);
  const device = await signUp(demo);
  const token = refreshTokenOf(browser);
  const stolen = JSON.stringify({ refreshToken: token, 'app.ref': token, id: 'x' });
  const bodies: readonly (readonly [body: string, type: string, status: number])[] = [
    ...[stolen, '[]', 'null', 'true', '"x"', '1e308', '[', '{}{}'].map(
      (body) => [body, 'application/json', 400] as const,
    ),
    ['\ufeff{}', 'application/json', 400],
    ['['.repeat(100_000), 'application/json', 400],
    [`{"a":"${'a'.repeat(262_144)}"}`, 'application/json', 413],
    ['a=b', 'application/x-www-form-urlencoded', 415],
    ['{}', 'text/plain', 415],
  ];
  for (const [method, path] of writes) {
    for (const [body, type, status] of bodies) {
      const answer = await browser.send(path, { method, body, headers: { 'content-type': type } });
      expect([method, path, body.slice(0, 9), answer.status]).toEqual([method, path, body.slice(0, 9), status]);
    }
  }
  expect(refreshTokenOf(browser)).toBe(token);
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  expect((await device.get('/api/auth/sessions')).status).toBe(200);
  expect(await faultsOf(demo)).toEqual([]);
});

it('lists the methods that the routes allow', async () => {
  const demo = await start();
  const browser = await signUp(demo);
  const routes: readonly (readonly [path: string, methods: readonly string[]])[] = [
    ['/api/auth/refresh', ['POST']],
    ['/api/auth/sessions', ['GET', 'HEAD', 'DELETE']],
    ['/api/auth/sessions/x', ['DELETE']],
  ];
  for (const [path, methods] of routes) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((name) => !methods.includes(name))) {
      const answer = await browser.send(path, { method });
      expect([path, method, answer.status]).toEqual([path, method, 405]);
      expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(methods.toSorted());
    }
  }
  expect((await browser.post('/api/auth/refresh')).status).toBe(200);
});

/** The routes that write and take nothing from a body. */
const writes = [
  ['POST', '/api/auth/refresh'],
  ['DELETE', '/api/auth/sessions'],
  ['DELETE', '/api/auth/sessions/x'],
] as const;

function start(): Promise<DemoProcess> {
  return startDemo({ folder: makeFolder(), variables: { LOG_LEVEL: 'debug', RATE_LIMIT_FACTOR: '1000' } });
}

async function signUp({ origin }: DemoProcess): Promise<Browser> {
  const browser = new Browser(origin);
  expect((await browser.post('/api/auth/signup', newAccount())).status).toBe(201);
  return browser;
}
