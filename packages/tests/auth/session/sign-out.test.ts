import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('a sign-out on %s', (engine) => {
  it.each([
    ['both cookies', ['app.sid', 'app.ref'], 0],
    ['the JWT alone', ['app.sid'], 0],
    ['the refresh token alone', ['app.ref'], 0],
    ['an expired JWT and the refresh token', ['app.sid', 'app.ref'], 3_600_000],
  ])('ends the session by %s, and no other', async (_what, names, laterMs) => {
    const { server, client, clock } = await createTestServer({ engine });
    const [browser, other] = [client(), client()];
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    await other.post('/api/auth/signin', ada);
    clock.advance(laterMs);
    const cookie = names.map((name) => `${name}=${browser.cookies.get(name)}`).join('; ');
    const response = await client().post('/api/auth/signout', undefined, { headers: { cookie } });
    expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(1);
    clock.advance(-laterMs);
    expect((await browser.get('/api/auth/session')).body.session).toBeNull();
    expect((await other.get('/api/auth/session')).body.session).not.toBeNull();

    const again = await client().post('/api/auth/signout', undefined, { headers: { cookie } });
    expect([again.status, again.text]).toEqual([200, '{"ok":true}']);
    const { items } = await server.stores.events.listByUser(id as UserId, { limit: 50, after: null });
    expect(items.filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  });

  it('invalidates the JWT of a session that another process had already revoked', async () => {
    const database = createTestDatabase(engine);
    const { server, client } = await createTestServer({ database });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const elsewhere = database.open();
    await elsewhere.sessions.revokeAll(id as UserId);
    if (engine !== 'memory') await elsewhere.close();
    await browser.post('/api/auth/signout');
    expect((await client().get('/api/auth/session', { headers: { cookie } })).body.session).toBeNull();
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(0);
  });

  it('ends nothing with an expired JWT alone', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    clock.advance(60_000);
    const headers = { cookie: `app.sid=${browser.cookies.get('app.sid')}` };
    expect((await client().post('/api/auth/signout', undefined, { headers })).status).toBe(200);
    expect(await server.stores.sessions.countActive(id as UserId)).toBe(1);
  });

  it('ends nothing with a forged refresh token, even if the id of the session is known', async () => {
    const { server, client } = await createTestServer({ engine });
    const [browser, other] = [client(), client()];
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    await other.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    const [mine, theirs] = [browser, other].map(({ cookies }) => Buffer.from(cookies.get('app.ref')!, 'base64url'));
    const forged = [
      Buffer.concat([mine!.subarray(0, 20), theirs!.subarray(20)]),
      Buffer.concat([mine!.subarray(0, 20), Buffer.alloc(32)]),
      Buffer.concat([mine!.subarray(0, 16), Buffer.from([0, 0, 0, 1]), mine!.subarray(20)]),
      mine!.subarray(0, 20),
      Buffer.concat([mine!, Buffer.alloc(1)]),
    ];
    for (const token of [...forged.map((bytes) => bytes.toString('base64url')), `${browser.cookies.get('app.ref')}=`]) {
      const headers = { cookie: `app.ref=${token}` };
      expect((await client().post('/api/auth/signout', undefined, { headers })).status).toBe(200);
      expect(await server.stores.sessions.countActive(id as UserId)).toBe(1);
    }
  });

  it('ends a session once for 50 parallel requests', async () => {
    const { server, client } = await createTestServer({ engine });
    const browser = client();
    const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => client().post('/api/auth/signout', undefined, { headers: { cookie } })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const { items } = await server.stores.events.listByUser(id as UserId, { limit: 50, after: null });
    expect(items.filter(({ type }) => type === 'session.revoked')).toHaveLength(1);
  });

  it('accepts no body, an empty one or an empty object, and nothing else', async () => {
    const { client } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const refused = [
      ['{"all":true}', 'application/json', 'VALIDATION_FAILED'],
      ['[]', 'application/json', 'VALIDATION_FAILED'],
      ['null', 'application/json', 'VALIDATION_FAILED'],
      ['{', 'application/json', 'INVALID_JSON'],
      ['{}', 'text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
      ['a=b', 'application/x-www-form-urlencoded', 'UNSUPPORTED_MEDIA_TYPE'],
    ] as const;
    for (const [raw, type, code] of refused) {
      const headers = { 'content-type': type };
      expect(refusalOf(await browser.send('/api/auth/signout', { method: 'POST', raw, headers }))).toBe(code);
      expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    }
    for (const raw of [undefined, '', '{}', ' {} ']) {
      const { status } = await browser.send('/api/auth/signout', { method: 'POST', ...(raw !== undefined && { raw }) });
      expect(status).toBe(200);
    }
  });
});
