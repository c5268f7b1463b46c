import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../../support/refusal-of.ts';
import { readToken } from '../../support/token-forge.ts';
import { createTestServer, engines } from '../../support/test-server.ts';

const good = { email: 'ada@example.com', password: 'correct horse battery' };

const userFields = {
  nickname: { schema: z.string().max(100).optional(), signUp: true },
  settings: { schema: z.looseObject({}).optional(), signUp: true },
  taxNumber: { schema: z.string().optional(), public: false, signUp: true },
  trimmed: {
    schema: z
      .string()
      .optional()
      .transform((text) => text?.trim() || undefined),
    signUp: true,
  },
};

/** Fields that a caller may not choose, each with a value that would be worth choosing. */
const reserved = {
  id: '00000000-0000-4000-8000-000000000000',
  role: 'admin',
  emailVerified: false,
  tenantId: 'acme',
  createdAt: '1999-01-01T00:00:00.000Z',
  updatedAt: '1999-01-01T00:00:00.000Z',
};

describe.each(engines)('a sign-up with arbitrary input on %s', (engine) => {
  it('ignores reserved fields', async () => {
    const { server, client, clock } = await createTestServer({ engine });
    const { status, body } = await client().post('/api/auth/signup', { ...reserved, ...good });
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ role: 'user', tenantId: null, createdAt: clock.now().toISOString() });
    expect(body.user.id).not.toBe(reserved.id);
    const user = await server.stores.users.findByLoginEmail(good.email);
    expect(user).toMatchObject({ id: body.user.id, role: 'user', tenantId: null, emailProvenAt: null, fields: {} });
    expect(user?.createdAt).toEqual(clock.now());
  });

  it.each([
    ...['passwordHash', 'emailProvenAt', 'loginEmail', 'disabledAt', 'fields', 'user', 'isAdmin', 'toString', '0'],
    ...['Role', 'role ', 'ROLE', 'roles', 'email.verified', '$set', ''],
  ])('refuses the unknown field %j and creates nothing', async (name) => {
    const { server, client } = await createTestServer({ engine });
    const response = await client().post('/api/auth/signup', { ...good, [name]: 'x' });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues).toEqual([expect.objectContaining({ path: [name], code: 'unrecognized_keys' })]);
    expect(await server.stores.users.findByLoginEmail(good.email)).toBeNull();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses the key %s at any depth', async (key) => {
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    const planted = `"${key}":{"role":"admin","emailProvenAt":"1999-01-01","polluted":1}`;
    for (const member of [planted, `"settings":{${planted}}`, `"settings":{"a":[{${planted}}]}`]) {
      const raw = `{"email":"${good.email}","password":"${good.password}",${member}}`;
      expect(refusalOf(await client().send('/api/auth/signup', { method: 'POST', raw }))).toBe('INVALID_JSON');
    }
    expect(await server.stores.users.findByLoginEmail(good.email)).toBeNull();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it('keeps reserved names inside a declared field in that field', async () => {
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    const { body } = await client().post('/api/auth/signup', { ...good, settings: reserved });
    expect(body.user).toMatchObject({ role: 'user', tenantId: null, settings: reserved });
    expect(await server.stores.users.findByLoginEmail(good.email)).toMatchObject({
      role: 'user',
      fields: { settings: reserved },
    });
  });

  it('stores declared fields, returns the public ones, and keeps private ones out of responses and JWTs', async () => {
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    const browser = client();
    const fields = { nickname: 'Countess \u{1f451}', taxNumber: 'TAX-1' };
    const signedUp = await browser.post('/api/auth/signup', { ...good, ...fields });
    expect(signedUp.body.user).toMatchObject({ nickname: fields.nickname });
    expect(signedUp.text).not.toContain('TAX-1');
    expect(readToken(browser.cookies.get('app.sid')!).payload['user']).toMatchObject({ nickname: fields.nickname });
    expect(JSON.stringify(readToken(browser.cookies.get('app.sid')!))).not.toContain('TAX-1');
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: signedUp.body.user });
    expect((await server.stores.users.findByLoginEmail(good.email))?.fields).toEqual(fields);
    expect((await client().post('/api/auth/signin', good)).body.user).toEqual(signedUp.body.user);
  });

  it('takes of the declared fields only what is meant for it, and gives the others their defaults', async () => {
    const fields = {
      company: { schema: z.string() },
      credits: { schema: z.int().default(10) },
      isStaff: { schema: z.boolean().optional() },
      taxNumber: { schema: z.string(), public: false },
      referrer: { schema: z.string().optional(), public: false, signUp: true },
      rank: { schema: z.string(), signUp: false },
    };
    const { server, client } = await createTestServer({ engine, auth: { userFields: fields } });
    const input = { ...good, company: 'Engines', referrer: 'Charles' };
    for (const chosen of [{ credits: 1_000_000 }, { isStaff: true }, { taxNumber: 'TAX-1' }, { rank: 'admiral' }]) {
      const refused = await client().post('/api/auth/signup', { ...input, ...chosen });
      expect(refusalOf(refused)).toBe('VALIDATION_FAILED');
      expect(refused.body.error.issues).toEqual([
        expect.objectContaining({ path: Object.keys(chosen), code: 'unrecognized_keys' }),
      ]);
      const inProcess = await server.auth.api.signUp({ ...input, ...chosen } as never);
      expect(inProcess).toMatchObject({ ok: false, error: { issues: [{ path: Object.keys(chosen) }] } });
    }
    expect(await server.stores.users.findByLoginEmail(good.email)).toBeNull();
    expect(refusalOf(await client().post('/api/auth/signup', good)), 'the company is missing').toBe(
      'VALIDATION_FAILED',
    );
    const signedUp = await client().post('/api/auth/signup', input);
    expect(signedUp.body.user).toMatchObject({ company: 'Engines', credits: 10, incomplete: ['taxNumber', 'rank'] });
    expect((await server.stores.users.findByLoginEmail(good.email))?.fields).toEqual({
      ...{ company: 'Engines', credits: 10, referrer: 'Charles' },
    });
  });

  it('treats a declared field that transforms to undefined as absent', async () => {
    const { server, client } = await createTestServer({ engine, auth: { userFields } });
    expect((await client().post('/api/auth/signup', { ...good, trimmed: '  ' })).status).toBe(201);
    expect((await server.stores.users.findByLoginEmail(good.email))?.fields).toEqual({});
  });

  it('reports problems of declared fields under their paths', async () => {
    const { client } = await createTestServer({ engine, auth: { userFields } });
    const response = await client().post('/api/auth/signup', { ...good, nickname: 1, settings: [], taxNumber: null });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.body.error.issues.map(({ path }) => path)).toEqual([['nickname'], ['settings'], ['taxNumber']]);
  });

  it.each([{ nickname: 'a\0b' }, { nickname: '\ud800' }, { settings: { 'a\0': 1 } }, { settings: { a: ['\udc00'] } }])(
    'refuses text that not every store can save: %j',
    async (fields) => {
      const { client } = await createTestServer({ engine, auth: { userFields } });
      const response = await client().post('/api/auth/signup', { ...good, ...fields });
      expect(refusalOf(response)).toBe('VALIDATION_FAILED');
      expect(response.body.error.issues).toEqual([
        expect.objectContaining({ path: Object.keys(fields), code: 'invalid_format' }),
      ]);
    },
  );

  it('refuses public fields that would not fit into the cookie, but accepts private ones of any size', async () => {
    const { client } = await createTestServer({ engine, auth: { userFields } });
    const response = await client().post('/api/auth/signup', { ...good, settings: { a: 'x'.repeat(1024) } });
    expect(refusalOf(response)).toBe('VALIDATION_FAILED');
    expect(response.headers.getSetCookie()).toEqual([]);
    const signedUp = await client().post('/api/auth/signup', { ...good, taxNumber: '1'.repeat(100_000) });
    expect(signedUp.status).toBe(201);
  });
});
