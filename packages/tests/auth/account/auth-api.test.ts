import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hostileStrings } from '../../support/hostile-strings.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const userFields = {
  nickname: { schema: z.string().optional(), signUp: true },
  settings: { schema: z.looseObject({}).optional(), signUp: true },
};

/** The cookies of a result as a browser would send them back. */
function cookieHeaders(cookies: readonly string[]): Headers {
  return new Headers({ cookie: cookies.map((cookie) => cookie.slice(0, cookie.indexOf(';'))).join('; ') });
}

describe.each(engines)('auth.api on %s', (engine) => {
  it('signs up, returns the session, signs out and signs in like the routes', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const { api } = server.auth;
    const headers = new Headers({ 'user-agent': 'tests' });
    const signedUp = await api.signUp({ ...ada, email: ' ADA@example.com' }, { headers, ipAddress: '192.0.2.1' });
    const value = (signedUp.ok ? signedUp.value : null)!;
    expect(signedUp).toEqual({ ok: true, value, data: value });
    expect(value.user).toMatchObject({ email: ada.email, role: 'user', createdAt: clock.now() });
    expect(value.expiresAt).toEqual(new Date(clock.now().getTime() + 60_000));

    const session = await api.getSession(cookieHeaders(value.cookies));
    expect(session).toMatchObject({ ok: true, data: { user: value.user, expiresAt: value.expiresAt, claims: {} } });
    const response = await client().get('/api/auth/session', {
      headers: { cookie: cookieHeaders(value.cookies).get('cookie') },
    });
    const { secondFactorAt, ...sent } = (session.ok ? session.value : null)!;
    expect(secondFactorAt).toBeNull();
    expect(response.body.session).toEqual(JSON.parse(JSON.stringify(sent)));
    const [stored] = await server.stores.sessions.listActive(
      (await server.stores.users.findByLoginEmail(ada.email))!.id,
    );
    expect(stored).toMatchObject({ userAgent: 'tests', ipAddress: '192.0.2.1' });

    expect(await api.signOut(cookieHeaders(value.cookies))).toMatchObject({ ok: true });
    expect(await api.getSession(cookieHeaders(value.cookies))).toEqual({ ok: true, value: null, data: null });
    expect(await api.signIn(ada)).toMatchObject({ ok: true, value: { user: { id: value.user.id } } });
  });

  it.each([
    ['signUp', {}, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, email: ['ada@example.com'] }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, email: 'ada\uFF20example.com' }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, password: 'short' }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, password: 'password1' }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, password: 'x'.repeat(257) }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', { ...ada, isAdmin: true }, 'VALIDATION_FAILED', '/api/auth/signup'],
    ['signUp', ada, 'USER_EXISTS', '/api/auth/signup'],
    ['signIn', { ...ada, password: 'wrong' }, 'INVALID_CREDENTIALS', '/api/auth/signin'],
    ['signIn', { ...ada, email: { $ne: null } }, 'VALIDATION_FAILED', '/api/auth/signin'],
    ['signIn', { ...ada, userId: '1' }, 'VALIDATION_FAILED', '/api/auth/signin'],
  ] as const)('returns from %s of %j the error %s that the route sends', async (verb, input, code, path) => {
    const { server, client } = await createTestServer({ engine });
    await server.auth.api.signUp(ada);
    const outcome = await server.auth.api[verb](input as typeof ada);
    expect(outcome).toMatchObject({ ok: false, error: { code } });
    const { body } = await client().post(path, input);
    expect(outcome).toEqual({ ok: false, error: body.error });
  });

  it('ignores reserved fields', async () => {
    const { server } = await createTestServer({ engine, auth: { userFields } });
    const reserved = { id: '1', role: 'admin', emailVerified: false, tenantId: 'acme', createdAt: 0, updatedAt: 0 };
    const outcome = await server.auth.api.signUp({ ...reserved, ...ada });
    expect(outcome).toMatchObject({ ok: true, value: { user: { role: 'user', tenantId: null } } });
    const user = await server.stores.users.findByLoginEmail(ada.email);
    expect(user).toMatchObject({ role: 'user', tenantId: null, emailProvenAt: null, fields: {} });
    expect(JSON.stringify(user)).not.toContain('admin');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s at any depth', async (key) => {
    const { server } = await createTestServer({ engine, auth: { userFields } });
    const planted = `{"${key}":{"role":"admin"}}`;
    const inputs = {
      [key]: planted,
      [`settings.${key}`]: `{"settings":${planted}}`,
      [`settings.b.0.a.${key}`]: `{"settings":{"b":[{"a":${planted}}]}}`,
    };
    for (const [path, text] of Object.entries(inputs)) {
      const outcome = await server.auth.api.signUp({ ...(JSON.parse(text) as object), ...ada });
      expect(outcome).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED' } });
      expect(outcome.ok ? [] : outcome.error.issues?.map((issue) => issue.path.join('.'))).toEqual([path]);
    }
    const asSignIn = await server.auth.api.signIn({ ...(JSON.parse(planted) as object), ...ada });
    expect(asSignIn).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED', issues: [{ path: [key] }] } });
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
    expect(Reflect.get({}, 'role')).toBeUndefined();
  });

  it('ignores inherited members of its input', async () => {
    const { server } = await createTestServer({ engine });
    const input = Object.create({ ...ada }) as typeof ada;
    expect(await server.auth.api.signUp(input)).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED' } });
  });

  it('treats a member that is undefined as absent', async () => {
    const { server } = await createTestServer({ engine, auth: { userFields } });
    const input = { ...ada, nickname: undefined, settings: { a: undefined, b: 1 }, unheardOf: undefined };
    expect(await server.auth.api.signUp(input)).toMatchObject({ ok: true });
    expect((await server.stores.users.findByLoginEmail(ada.email))?.fields).toEqual({ settings: { b: 1 } });
  });

  it('refuses input that is not an object, too deep or circular, without throwing', async () => {
    const { server } = await createTestServer({ engine, auth: { userFields } });
    const circular: Record<string, unknown> = {};
    circular['again'] = [circular, circular];
    let deep: object = {};
    for (let level = 0; level < 100_000; level++) deep = { deep };
    const inputs: readonly unknown[] = [undefined, null, 1, 'x', [], [ada], () => ada, new Map(), circular, deep];
    for (const input of [...inputs, { ...ada, settings: deep }, { ...ada, settings: circular }]) {
      for (const verb of ['signUp', 'signIn'] as const) {
        const outcome = await server.auth.api[verb](input as typeof ada);
        expect(outcome).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED' } });
      }
    }
    expect(await server.stores.users.findByLoginEmail(ada.email)).toBeNull();
  });

  it('creates one account for 100 parallel sign-ups with one address', async () => {
    const { server } = await createTestServer({ engine });
    const spellings = ['ada@example.com', 'ADA@EXAMPLE.COM', 'ａｄａ@example.com', ' Ada@Example.com '];
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        server.auth.api.signUp({ ...ada, email: spellings[index % spellings.length]! }),
      ),
    );
    const codes = outcomes.map((outcome) => (outcome.ok ? 'OK' : outcome.error.code));
    expect(codes.toSorted().join()).toBe(['OK', ...Array.from({ length: 99 }, () => 'USER_EXISTS')].join());
  });

  it('never throws for hostile strings', async () => {
    const { server } = await createTestServer({ engine });
    const { api } = server.auth;
    for (const text of hostileStrings) {
      expect(await api.signIn({ email: text, password: text })).toMatchObject({ ok: false });
      expect(await api.signUp({ email: `${text}@example.com`, password: 'short' })).toMatchObject({ ok: false });
    }
    for (const cookie of ['app.sid=%', 'app.sid=\u00ff', 'app.sid="', 'app.sid=a; app.sid=b', 'x'.repeat(8000)]) {
      expect(await api.getSession(new Headers({ cookie }))).toMatchObject({ ok: true, value: null });
      expect(await api.signOut(new Headers({ cookie: cookie.replace('sid', 'ref') }))).toMatchObject({ ok: true });
    }
  });
});
