import { storeUnavailable, type UserId } from '@x/store';
import { describe, expect, it, vi } from 'vitest';
import { hostileStrings } from '../../support/hostile-strings.ts';
import { expectSessionExpired, isValidJwt, refreshWith } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

describe.each(engines)('DELETE /api/auth/sessions/:id on %s', (engine) => {
  it('ends one session of the caller and no other, and clears no cookies', async () => {
    const test = await createTestServer({ engine });
    const [caller, victim, third] = await signIn(test, 3);
    const response = await end(caller!, sidOf(victim!));
    expect([response.status, response.text, response.headers.getSetCookie()]).toEqual([200, '{"ok":true}', []]);
    expect(await isValidJwt(test, victim!.cookies.get('app.sid')!)).toBe(false);
    expectSessionExpired(await refreshWith(test, victim!.cookies.get('app.ref')!));
    const left = (await caller!.get('/api/auth/sessions')).body.sessions.map(({ id }) => id);
    expect(left.toSorted()).toEqual([caller!, third!].map(sidOf).toSorted());
    expect((await third!.post('/api/auth/refresh')).status).toBe(200);
  });

  it('responds with the same 404 to an unknown, malformed, expired, revoked or foreign session', async () => {
    const test = await createTestServer({ engine });
    const [expired] = await signIn(test, 1);
    test.clock.advance(7 * 86_400_000 - 1000);
    const [caller, revoked] = [test.client(), test.client()];
    for (const browser of [caller, revoked]) await browser.post('/api/auth/signin', ada);
    const [eve] = await signIn(test, 1, 'eve@example.com');
    await end(caller, sidOf(revoked));
    test.clock.advance(1000);
    const own = sidOf(caller);
    const ids = [
      ...[sidOf(eve!), crypto.randomUUID(), '00000000-0000-0000-0000-000000000000', sidOf(revoked), sidOf(expired!)],
      ...[own.toUpperCase(), own.replaceAll('-', ''), `${own} `, ` ${own}`, `{${own}}`, own.slice(1), `${own}0`],
      ...["' OR 1=1 --", `${own}' OR '1'='1`, `${own}\0`, `${own}%00`, '%00', '../sessions', '*', 'null', '-1'],
      ...[
        'x'.repeat(8000),
        '𝟘'.repeat(36),
        own.replace(/[0-9a-f]/g, '０'),
        ...hostileStrings.filter((text) => !['', '.', '..'].includes(text)),
      ],
    ];
    const texts = new Set<string>();
    for (const id of ids) {
      const response = await end(caller, id);
      expect([refusalOf(response), response.headers.getSetCookie(), id]).toEqual(['SESSION_NOT_FOUND', [], id]);
      texts.add(response.text);
    }
    expect([...texts]).toEqual(['{"error":{"code":"SESSION_NOT_FOUND","message":"There is no such session."}}']);
    expect(await isValidJwt(test, eve!.cookies.get('app.sid')!)).toBe(true);
    expect((await eve!.post('/api/auth/refresh')).status).toBe(200);
    expect((await caller.post('/api/auth/refresh')).status).toBe(200);
  });

  it('ends nothing for a path that no browser would send', async () => {
    const test = await createTestServer({ engine });
    const [caller, victim] = await signIn(test, 2);
    const port = await serve(test.server);
    const headers = { Cookie: `app.sid=${caller!.cookies.get('app.sid')}` };
    const id = sidOf(victim!);
    const paths = [
      '..',
      '.',
      '%2e%2e',
      '%00',
      '%ff',
      '%',
      '%zz',
      `${id}%00`,
      `${id}/`,
      `${id};x`,
      `;${id}`,
      `%2f${id}`,
    ];
    for (const path of [...paths, `/${id}`, `x/../../sessions/${id}x`, `*`, `${id}%20`, 'x'.repeat(10_000)]) {
      const response = await exchange(port, encodeRequest(`DELETE /api/auth/sessions/${path}`, { headers }));
      expect([response.status, path]).toEqual([404, path]);
    }
    expect((await victim!.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
  });

  it("ends the caller's own session, and refuses its cookies from then on", async () => {
    const test = await createTestServer({ engine });
    const [caller, other] = await signIn(test, 2);
    const response = await end(caller!, sidOf(caller!));
    expect([response.status, response.text, response.headers.getSetCookie()]).toEqual([200, '{"ok":true}', []]);
    for (const id of [sidOf(caller!), sidOf(other!), 'x']) {
      expect(refusalOf(await end(caller!, id))).toBe('UNAUTHENTICATED');
    }
    expectSessionExpired(await caller!.post('/api/auth/refresh'));
    expect((await other!.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
  });

  it('succeeds for one of 20 concurrent requests, and is logged once', async () => {
    const test = await createTestServer({ engine });
    const [caller, victim] = await signIn(test, 2);
    const responses = await Promise.all(Array.from({ length: 20 }, () => end(caller!, sidOf(victim!))));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 404),
    ]);
    expect(await revocationsOf(test, caller!)).toEqual([
      expect.objectContaining({
        ...{ sessionId: sidOf(victim!), detail: { reason: 'revoked', sessionIds: [sidOf(victim!)] } },
      }),
    ]);
  });
});

describe.each(engines)('DELETE /api/auth/sessions on %s', (engine) => {
  it('ends all sessions of the caller but the current one, and returns how many, also if none is left', async () => {
    const test = await createTestServer({ engine });
    const [caller, ...others] = await signIn(test, 6);
    const [eve] = await signIn(test, 1, 'eve@example.com');
    for (const revoked of [5, 0, 0]) {
      const response = await caller!.send('/api/auth/sessions', { method: 'DELETE' });
      expect([response.status, response.body, response.headers.getSetCookie()]).toEqual([
        200,
        { ok: true, revoked },
        [],
      ]);
    }
    for (const { cookies } of others) {
      expect(await isValidJwt(test, cookies.get('app.sid')!)).toBe(false);
      expectSessionExpired(await refreshWith(test, cookies.get('app.ref')!));
    }
    expect((await caller!.get('/api/auth/sessions')).body.sessions.map(({ id }) => id)).toEqual([sidOf(caller!)]);
    for (const browser of [caller!, eve!]) expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    expect(await revocationsOf(test, caller!)).toEqual([
      expect.objectContaining({
        ...{ sessionId: null, detail: { reason: 'others_revoked', sessionIds: expect.any(Array) } },
      }),
    ]);
  });

  it('ends a session that starts meanwhile completely or not at all, and one of two concurrent callers', async () => {
    const test = await createTestServer({ engine });
    for (let round = 0; round < 10; round++) {
      const email = `user${round}@example.com`;
      const [one, other] = await signIn(test, 2, email);
      const late = Array.from({ length: 4 }, () => test.client());
      const signIns = late.map((browser) => browser.post('/api/auth/signin', { ...ada, email }));
      const responses = await Promise.all(
        [one!, other!].map((each) => each.send('/api/auth/sessions', { method: 'DELETE' })),
      );
      await Promise.all(signIns);
      expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
      const winner = responses[0]!.status === 200 ? one! : other!;
      const listed = (await winner.get('/api/auth/sessions')).body.sessions.map(({ id }) => id);
      for (const browser of [one!, other!, ...late]) {
        const isListed = listed.includes(sidOf(browser));
        expect(await isValidJwt(test, browser.cookies.get('app.sid')!)).toBe(isListed);
        expect((await refreshWith(test, browser.cookies.get('app.ref')!)).status).toBe(isListed ? 200 : 401);
      }
    }
  });
});

describe.each(engines)('ending sessions on %s', (engine) => {
  it.each(['/api/auth/sessions', '/api/auth/sessions/:id'])(
    'requires a page of the app, a valid JWT, no body and working stores for DELETE %s',
    async (path) => {
      const test = await createTestServer({ engine });
      const [caller, other] = await signIn(test, 2);
      const url = path.replace(':id', sidOf(other!));
      const failures = [
        [{ headers: { 'x-app-request': null } }, 'CSRF_FAILED'],
        [{ headers: { origin: 'https://evil.example' } }, 'CSRF_FAILED'],
        [{ headers: { cookie: null } }, 'UNAUTHENTICATED'],
        [{ headers: { cookie: `app.ref=${caller!.cookies.get('app.ref')}` } }, 'UNAUTHENTICATED'],
        [{ body: { id: sidOf(other!) } }, 'VALIDATION_FAILED'],
        [{ raw: '[', headers: { 'content-type': 'application/json' } }, 'INVALID_JSON'],
      ] as const;
      for (const [request, code] of failures) {
        const response = await caller!.send(url, { method: 'DELETE', ...request });
        expect([refusalOf(response), response.headers.getSetCookie()]).toEqual([code, []]);
      }
      const step = path.endsWith(':id') ? 'revokeOwn' : 'revokeOthers';
      vi.spyOn(test.server.stores.sessions, step).mockRejectedValueOnce(storeUnavailable());
      expect(refusalOf(await caller!.send(url, { method: 'DELETE' }))).toBe('SERVICE_UNAVAILABLE');
      expect((await other!.get('/api/auth/sessions')).body.sessions).toHaveLength(2);
      expect((await caller!.send(url, { method: 'DELETE', body: {} })).status).toBe(200);
      expect((await caller!.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
    },
  );
});

/** Signs a user up, and in from so many browsers in all. */
async function signIn({ client }: TestServer, count: number, email = ada.email): Promise<readonly TestClient[]> {
  const browsers = Array.from({ length: count }, () => client());
  for (const [index, browser] of browsers.entries()) {
    await browser.post(index === 0 ? '/api/auth/signup' : '/api/auth/signin', { ...ada, email });
  }
  return browsers;
}

function end(caller: TestClient, id: string): Promise<TestResponse> {
  return caller.send(`/api/auth/sessions/${encodeURIComponent(id.toWellFormed())}`, { method: 'DELETE' });
}

function sidOf({ cookies }: TestClient): string {
  return String(readToken(cookies.get('app.sid')!).payload['sid']);
}

async function revocationsOf({ server }: TestServer, { cookies }: TestClient): Promise<readonly object[]> {
  const userId = readToken(cookies.get('app.sid')!).payload['sub'] as UserId;
  const { items } = await server.stores.events.listByUser(userId, { limit: 100, after: null });
  return items.filter(({ type }) => type === 'session.revoked');
}
