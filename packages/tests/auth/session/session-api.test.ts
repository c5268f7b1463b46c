import { describe, expect, it } from 'vitest';
import { refreshWith, storedSession } from '../../support/refresh-tokens.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('auth.api on %s', (engine) => {
  it('refreshes like the route, and returns the cookies', async () => {
    const test = await createTestServer({ engine });
    const { api } = test.server.auth;
    const browser = test.client();
    const { user } = (await browser.post('/api/auth/signup', ada)).body;
    const headers = headersOf(browser);
    const refreshed = await api.refreshSession({ headers, ipAddress: '192.0.2.1' });
    if (!refreshed.ok) throw new Error(refreshed.error.message);
    const { value } = refreshed;
    expect(refreshed).toEqual({ ok: true, value, data: value });
    expect(JSON.parse(JSON.stringify(value.user))).toEqual(user);
    expect(value.expiresAt).toEqual(new Date(test.clock.now().getTime() + 60_000));
    const [, successor = ''] = /app\.ref=([\w-]+)/.exec(value.cookies.join()) ?? [];
    expect(await storedSession(test, successor)).toMatchObject({ generation: 1 });
    const retried = await api.refreshSession({ headers, ipAddress: '192.0.2.1' });
    expect(retried.ok && retried.value.cookies.at(-1)).toBe(value.cookies.at(-1));
    expect((await refreshWith(test, successor)).status).toBe(200);
  });

  it('fails like the route', async () => {
    const test = await createTestServer({ engine });
    const { api } = test.server.auth;
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    const old = headersOf(browser);
    for (let times = 0; times < 2; times++) await browser.post('/api/auth/refresh');
    for (const headers of [new Headers(), new Headers({ cookie: 'app.ref=x' }), old, headersOf(browser)]) {
      const outcome = await api.refreshSession({ headers, ipAddress: '192.0.2.1' });
      const { body } = await test.client().post('/api/auth/refresh', undefined, { headers: { cookie: 'app.ref=x' } });
      expect(outcome).toEqual({ ok: false, error: body.error });
    }
  });

  it('counts the refreshes of callers without an address together', async () => {
    const { server, client } = await createTestServer({ engine });
    const codes: string[] = [];
    for (let times = 0; times < 11; times++) {
      const outcome = await server.auth.api.refreshSession(headersOf(client()));
      codes.push(outcome.ok ? 'OK' : outcome.error.code);
    }
    expect(codes).toEqual([...Array.from({ length: 10 }, () => 'SESSION_EXPIRED'), 'RATE_LIMITED']);
  });

  it('lists and ends sessions like the routes', async () => {
    const { server, client } = await createTestServer({ engine });
    const { api } = server.auth;
    const browsers = Array.from({ length: 4 }, () => client());
    const [caller, second] = browsers as [TestClient, TestClient];
    await caller.post('/api/auth/signup', ada);
    for (const browser of browsers.slice(1)) await browser.post('/api/auth/signin', ada);
    const listed = await api.listSessions(headersOf(caller));
    const { sessions } = (await caller.get('/api/auth/sessions')).body;
    expect(JSON.parse(JSON.stringify(listed.ok && listed.value))).toEqual(sessions);

    const id = String(readToken(second.cookies.get('app.sid')!).payload['sid']);
    expect(await api.revokeSession(id, headersOf(caller))).toMatchObject({ ok: true });
    for (const unknown of [id, '', 'x', undefined, null, 1, {}, [id], { toString: () => id }] as readonly string[]) {
      const outcome = await api.revokeSession(unknown, headersOf(caller));
      expect(outcome).toMatchObject({ ok: false, error: { code: 'SESSION_NOT_FOUND' } });
    }
    expect(await api.revokeAllSessions(headersOf(caller))).toMatchObject({ ok: true, value: { revoked: 2 } });
    expect(await api.revokeAllSessions(headersOf(caller))).toMatchObject({ ok: true, data: { revoked: 0 } });
  });

  it('refuses callers without an active session', async () => {
    const { server, client } = await createTestServer({ engine });
    const { api } = server.auth;
    const [one, other] = [client(), client()];
    await one.post('/api/auth/signup', ada);
    await other.post('/api/auth/signin', ada);
    await api.revokeAllSessions(headersOf(one));
    for (const headers of [headersOf(other), new Headers()]) {
      const outcomes = [
        await api.listSessions(headers),
        await api.revokeSession(crypto.randomUUID(), headers),
        await api.revokeAllSessions(headers),
      ];
      for (const outcome of outcomes) expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAUTHENTICATED' } });
    }
  });
});

function headersOf({ cookies }: TestClient): Headers {
  return new Headers({ cookie: [...cookies].map((pair) => pair.join('=')).join('; ') });
}
