import { storeUnavailable } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { sha256, storedSession } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const week = 7 * 86_400_000;
const chrome =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';

describe.each(engines)('the list of sessions on %s', (engine) => {
  it('shows where, when and on what device each session started, and nothing that signs in', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const [phone, tool] = [client('192.0.2.1'), client('2001:DB8:0::1')];
    const start = clock.now();
    await phone.post('/api/auth/signup', ada, { headers: { 'user-agent': chrome } });
    clock.advance(1500);
    const later = clock.now();
    await tool.post('/api/auth/signin', ada, { headers: { 'user-agent': 'curl/8.5.0' } });
    clock.advance(1500);
    await phone.post('/api/auth/refresh', undefined, { headers: { 'user-agent': 'something else' } });

    const response = await phone.get('/api/auth/sessions');
    const rest = {
      isCurrent: false,
      createdAt: later,
      lastActiveAt: later,
      expiresAt: new Date(later.getTime() + week),
    };
    expect([response.status, response.body]).toEqual([
      200,
      json({
        sessions: [
          {
            ...{ id: sidOf(phone), deviceName: 'Chrome on Android', ipAddress: '192.0.2.1', isCurrent: true },
            ...{ createdAt: start, lastActiveAt: clock.now(), expiresAt: new Date(start.getTime() + week) },
          },
          { id: sidOf(tool), deviceName: 'curl', ipAddress: '2001:db8::1', ...rest },
        ],
      }),
    ]);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.getSetCookie()).toEqual([]);
    const stored = await Promise.all(
      [phone, tool].map(({ cookies }) => storedSession({ server }, cookies.get('app.ref')!)),
    );
    const secrets = [phone, tool].flatMap(({ cookies }) => [...cookies.values()]);
    for (const { id, refreshSalt, refreshTokenHash, previousTokenHash } of stored) {
      const hashes = previousTokenHash ? [refreshTokenHash, previousTokenHash] : [refreshTokenHash];
      // A stored hash starts with the id of the session, which the list contains.
      secrets.push(refreshSalt, ...hashes.map((hash) => hash.slice(id.length + 1)));
    }
    for (const secret of [...secrets, ...secrets.map(sha256)]) expect(response.text).not.toContain(secret);
  });

  it("contains only the caller's active sessions, one of them current, latest activity first", async () => {
    const { client, clock } = await createTestServer({ engine });
    const own = Array.from({ length: 6 }, () => client());
    const eve = client();
    await eve.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    await own[0]!.post('/api/auth/signup', ada);
    for (const browser of own.slice(1)) {
      clock.advance(1);
      await browser.post('/api/auth/signin', ada);
    }
    await own[1]!.post('/api/auth/signout');
    for (const index of [3, 0]) {
      clock.advance(1);
      await own[index]!.post('/api/auth/refresh');
    }
    const newestFirst = [0, 3, 5, 4, 2].map((index) => own[index]!);
    for (const browser of newestFirst) {
      const { sessions } = (await browser.get('/api/auth/sessions')).body;
      expect(sessions.map(({ id, isCurrent }) => [id, isCurrent])).toEqual(
        newestFirst.map((each) => [sidOf(each), each === browser]),
      );
    }
    expect((await eve.get('/api/auth/sessions')).body.sessions.map(({ id }) => id)).toEqual([sidOf(eve)]);
  });

  it('omits a session from the very moment it expires', async () => {
    const { client, clock } = await createTestServer({ engine });
    const [first, second] = [client(), client()];
    await first.post('/api/auth/signup', ada);
    clock.advance(60_000);
    await second.post('/api/auth/signin', ada);
    const countAt = async (laterMs: number): Promise<number> => {
      clock.advance(laterMs);
      await second.post('/api/auth/refresh');
      return (await second.get('/api/auth/sessions')).body.sessions.length;
    };
    expect([await countAt(week - 60_001), await countAt(1)]).toEqual([2, 1]);
  });

  it('is refused with 401 without a valid JWT, beside any other input', async () => {
    const { client, clock } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const [jwt, token] = ['app.sid', 'app.ref'].map((name) => browser.cookies.get(name)!);
    for (const cookie of [
      null,
      `app.ref=${token}`,
      `app.sid=${token}`,
      `app.sid=${jwt}x`,
      `app.sid=${jwt}; app.sid=x`,
    ]) {
      const response = await client().get('/api/auth/sessions', { headers: { cookie } });
      expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['UNAUTHENTICATED', []]);
    }
    clock.advance(60_000);
    expect(refusalOf(await browser.get('/api/auth/sessions'))).toBe('UNAUTHENTICATED');
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    expect((await browser.get('/api/auth/sessions')).status).toBe(200);
  });

  it('is refused with 401 at once if another process revoked the session, although the JWT is not expired', async () => {
    const database = createTestDatabase(engine);
    const [here, elsewhere] = [await createTestServer({ database }), await createTestServer({ database })];
    const [browser, other] = [here.client(), elsewhere.client()];
    await browser.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
    expect((await other.send('/api/auth/sessions', { method: 'DELETE' })).status).toBe(200);
    for (const [method, path] of [
      ['GET', '/api/auth/sessions'],
      ['DELETE', '/api/auth/sessions'],
      ['DELETE', `/api/auth/sessions/${sidOf(browser)}`],
      ['DELETE', `/api/auth/sessions/${sidOf(other)}`],
      ['DELETE', '/api/auth/sessions/x'],
    ] as const) {
      const response = await browser.send(path, { method });
      expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['UNAUTHENTICATED', []]);
    }
    expect((await other.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
  });

  it('is refused with 503 if the stores fail, and never empty', async () => {
    const { server, client } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    vi.spyOn(server.stores.sessions, 'listOwn').mockRejectedValueOnce(storeUnavailable());
    const response = await browser.get('/api/auth/sessions');
    expect([refusalOf(response), response.headers.getSetCookie()]).toEqual(['SERVICE_UNAVAILABLE', []]);
    expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
  });

  it('shows one spelling of an address, and no control character of a user agent', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    await client().post('/api/auth/signup', ada);
    const spellings = [
      ['::ffff:192.0.2.1', '192.0.2.1'],
      ['::FFFF:C000:0201', '192.0.2.1'],
      ['2001:0DB8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
      ['no address', null],
    ] as const;
    for (const [address, canonical] of spellings) {
      clock.advance(1);
      const browser = client(address);
      const headers = { 'user-agent': `\u0080my\tApp\u009f/1.0 ${'x'.repeat(5000)}` };
      await browser.post('/api/auth/signin', ada, { headers });
      const { userId, ...stored } = await storedSession({ server }, browser.cookies.get('app.ref')!);
      expect(stored).toMatchObject({ ipAddress: canonical, userAgent: `myApp/1.0 ${'x'.repeat(502)}` });
      const [shown] = (await browser.get('/api/auth/sessions')).body.sessions.filter(({ isCurrent }) => isCurrent);
      expect(shown).toMatchObject({ ipAddress: canonical, deviceName: 'myApp' });
      const { items } = await server.stores.events.listByUser(userId, { limit: 1, after: null });
      expect(items).toEqual([expect.objectContaining({ ipAddress: canonical, userAgent: stored.userAgent })]);
    }
  });

  it('is not changed by HEAD, and has no other methods', async () => {
    const { client } = await createTestServer({ engine });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    const head = await browser.send('/api/auth/sessions', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'PATCH']) {
      const response = await browser.send('/api/auth/sessions', { method });
      expect([refusalOf(response), response.headers.get('allow')]).toEqual(['METHOD_NOT_ALLOWED', 'GET, HEAD, DELETE']);
    }
  });
});

function sidOf({ cookies }: TestClient): string {
  return String(readToken(cookies.get('app.sid')!).payload['sid']);
}

function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
