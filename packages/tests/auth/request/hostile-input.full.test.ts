import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hostileStrings, toHeaders } from '../../support/hostile-strings.ts';
import { faultOf, refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { exchange, serve } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const fields = { nickname: z.string().optional(), settings: z.looseObject({}).optional() };
const userFields = {
  nickname: { schema: fields.nickname, signUp: true },
  settings: { schema: fields.settings, signUp: true },
};

/** More would wait longer for the one writer of SQLite than it lets them, on a machine that is busy. */
const atOnce = 25;

/** Sends one request per string, some at a time, and returns the internal errors. */
async function faultsOf(strings: readonly string[], send: (text: string) => Promise<TestResponse>): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (let start = 0; start < strings.length; start += atOnce) {
    const batch = strings.slice(start, start + atOnce);
    const found = await Promise.all(batch.map(async (text) => [text, faultOf(await send(text))]));
    faults.push(...found.filter(([, fault]) => fault !== null));
  }
  return faults;
}

describe.each(engines)('hostile strings on %s', (engine) => {
  it.each(['/api/auth/signup', '/api/auth/signin'])(
    'cause no internal error as the e-mail address, whole or in part, at %s',
    async (path) => {
      const { client } = await createTestServer({ engine });
      const send = (email: string): Promise<TestResponse> => client().post(path, { email, password: 'short' });
      expect(await faultsOf(hostileStrings, send)).toEqual([]);
      expect(await faultsOf(everyNth(3), (text) => send(`${text}@example.com`))).toEqual([]);
      expect(await faultsOf(everyNth(3, 1), (text) => send(`ada@${text}.com`))).toEqual([]);
    },
  );

  it('sign no user in as a password, and change nothing', async () => {
    const { server, client } = await createTestServer({ engine });
    const { id } = (await client().post('/api/auth/signup', ada)).body.user;
    const before = await server.stores.users.findByLoginEmail(ada.email);
    const statuses = new Set<number>();
    const faults = await faultsOf(hostileStrings, async (password) => {
      const response = await client().post('/api/auth/signin', { ...ada, password });
      statuses.add(response.status);
      return response;
    });
    expect([faults, statuses]).toEqual([[], new Set([400, 401])]);
    expect(before?.id).toBe(id);
    expect(await server.stores.users.findByLoginEmail(ada.email)).toEqual(before);
  });

  it('are stored unchanged as a password and as a field', async () => {
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    const strings = everyNth(7);
    let index = 0;
    const faults = await faultsOf(strings, async (text) => {
      const credentials = { email: `user${index++}@example.com`, password: text };
      const input = { ...credentials, nickname: text, settings: { [text]: [text], nested: { text } } };
      const browser = client();
      const signedUp = await browser.post('/api/auth/signup', input);
      if (signedUp.status !== 201) return signedUp;
      const kept = { nickname: text, settings: input.settings };
      expect(signedUp.body.user).toMatchObject(kept);
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: kept });
      expect((await server.stores.users.findByLoginEmail(credentials.email))?.fields).toEqual(kept);
      return client().post('/api/auth/signin', credentials);
    });
    expect(faults).toEqual([]);
    expect(index).toBe(strings.length);
  });

  it('are refused as the names of fields', async () => {
    const { client } = await createTestServer({ engine });
    const taken = ['email', 'password', 'id', 'role', '__proto__', 'constructor', 'prototype'];
    const names = everyNth(3).filter((name) => !taken.includes(name));
    const statuses = new Set<number>();
    const faults = await faultsOf(names, async (name) => {
      const response = await client().post('/api/auth/signup', { ...ada, [name]: name });
      statuses.add(response.status);
      return response;
    });
    expect([faults, statuses]).toEqual([[], new Set([400])]);
  });

  it('cause no internal error in a header or a cookie, and identify no user', async () => {
    const { server, client } = await createTestServer({ engine });
    await client().post('/api/auth/signup', ada);
    const bodies = new Set<string>();
    const faults = await faultsOf(toHeaders(everyNth(4)), async (text) => {
      const cookie = `app.sid=${text}; app.ref=${text}; ${text}=${text}`;
      const headers = { cookie, 'user-agent': text, referer: text, 'x-request-id': text, 'x-forwarded-for': text };
      bodies.add((await client().get('/api/auth/session', { headers })).text);
      expect((await client().post('/api/auth/signout', undefined, { headers })).status).toBe(200);
      return client().post('/api/auth/signin', ada, { headers });
    });
    expect([faults, bodies]).toEqual([[], new Set(['{"session":null}'])]);
    const user = await server.stores.users.findByLoginEmail(ada.email);
    const stored = (await server.stores.sessions.listActive(user!.id)).map(({ userAgent }) => userAgent ?? '');
    expect(stored.filter((userAgent) => userAgent.length > 512 || /\p{Cc}/u.test(userAgent))).toEqual([]);
  });
});

it.each(['origin', 'referer', 'x-app-request', 'content-type', 'content-length', 'sec-fetch-site'])(
  'causes no internal error with hostile strings as the %s of a request that writes',
  async (name) => {
    const { client } = await createTestServer();
    const faults = await faultsOf(toHeaders(everyNth(4)), (text) =>
      client().post('/api/auth/signin', ada, {
        headers: { ...(name === 'referer' && { origin: null }), [name]: text },
      }),
    );
    expect(faults).toEqual([]);
  },
);

it('causes no internal error with hostile bytes in a path or a header', async () => {
  const { server } = await createTestServer();
  const port = await serve(server);
  const faults = await faultsOf(toHeaders(everyNth(2)), async (text) => {
    const path = encodeURI(Buffer.from(text, 'latin1').toString()).replaceAll(/[?#]/g, '');
    const lines = [`GET /api/auth/${path}?${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', `X-A: ${text}`];
    return exchange(port, [...lines, `Cookie: app.sid=${text}`, '', ''].join('\r\n'));
  });
  expect(faults).toEqual([]);
});

it('refuses a body of random bytes as broken JSON', async () => {
  const { client } = await createTestServer();
  for (let length = 0; length < 200; length++) {
    const raw = crypto.getRandomValues(new Uint8Array(length));
    const response = await client().send('/api/auth/signin', { method: 'POST', raw });
    // A lone digit is JSON, too.
    expect(['INVALID_JSON', 'VALIDATION_FAILED']).toContain(refusalOf(response));
  }
});

/** Every n-th of the hostile strings, for tests that send several requests for each. */
function everyNth(n: number, first = 0): readonly string[] {
  return hostileStrings.filter((_text, index) => index % n === first);
}
