import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

const userFields = {
  company: { schema: z.string().min(1).max(2000), update: true },
  nickname: { schema: z.string().trim().max(40).nullish(), update: true, signUp: true },
  motto: {
    schema: z
      .string()
      .optional()
      .transform((text) => text?.trim() || undefined),
    update: true,
  },
  theme: { schema: z.enum(['light', 'dark']).default('light'), update: true, signUp: true },
  phone: { schema: z.string().optional(), public: false, update: true, signUp: true },
  credit: { schema: z.int().optional(), signUp: true },
};

const fields = { company: 'Engines', nickname: 'Countess', theme: 'dark', phone: '555', credit: 1 } as const;

type Test = TestServer<typeof userFields>;

/** Signs Ada up, with all of her fields. */
async function start(engine: (typeof engines)[number]): Promise<Test & { readonly browser: TestClient }> {
  const test = await createTestServer({ engine, auth: { userFields } });
  const browser = test.client();
  await browser.post('/api/auth/signup', { ...ada, ...fields });
  return { ...test, browser };
}

const patch = (browser: TestClient, body: unknown, request: object = {}): Promise<TestResponse> =>
  browser.send('/api/auth/user', { method: 'PATCH', body, ...request });

async function storedFields({ server }: Test): Promise<unknown> {
  return (await server.stores.users.findByLoginEmail(ada.email))?.fields;
}

describe.each(engines)('a change of a user by themselves on %s', (engine) => {
  it('changes the fields that are sent, returns the user, and shows it in the session after a refresh', async () => {
    const { browser, clock, ...test } = await start(engine);
    const before = (await browser.get('/api/auth/session')).body.session;
    clock.advance(1000);
    const changed = await patch(browser, { company: 'Analytical Engines', nickname: ' Ada ' });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      user: {
        ...(await browser.post('/api/auth/refresh')).body.user,
        ...{ company: 'Analytical Engines', nickname: 'Ada', theme: 'dark', credit: 1 },
        updatedAt: clock.now().toISOString(),
      },
    });
    expect(changed.headers.getSetCookie()).toEqual([]);
    expect(await storedFields({ ...test, clock })).toEqual({
      ...fields,
      company: 'Analytical Engines',
      nickname: 'Ada',
    });
    const after = (await browser.get('/api/auth/session')).body.session;
    expect(after).toMatchObject({ id: before?.id, user: changed.body.user });
  });

  it('keeps a default from replacing a value, and removes a field whose schema yields nothing', async () => {
    const { browser, ...test } = await start(engine);
    await patch(browser, { motto: 'Ad astra' });
    expect(await storedFields(test)).toEqual({ ...fields, motto: 'Ad astra' });
    await patch(browser, { motto: ' ', nickname: null });
    expect(await storedFields(test)).toEqual({ ...fields, nickname: null });
    expect((await patch(browser, {})).status).toBe(200);
    expect(await storedFields(test)).toEqual({ ...fields, nickname: null });
  });

  it('changes a private field without showing it', async () => {
    const { browser, ...test } = await start(engine);
    const changed = await patch(browser, { phone: 'two' });
    expect(changed.text).not.toContain('two');
    expect(await storedFields(test)).toEqual({ ...fields, phone: 'two' });
  });

  it.each([
    [{ credit: 1_000_000 }, ['credit'], 'unrecognized_keys'],
    [{ role: 'admin' }, ['role'], 'unrecognized_keys'],
    [{ id: '1' }, ['id'], 'unrecognized_keys'],
    [{ email: 'eve@example.com' }, ['email'], 'unrecognized_keys'],
    [{ password: 'another horse battery' }, ['password'], 'unrecognized_keys'],
    [{ incomplete: [] }, ['incomplete'], 'unrecognized_keys'],
    [{ toString: 'x' }, ['toString'], 'unrecognized_keys'],
    [{ company: '' }, ['company'], 'too_small'],
    [{ company: null }, ['company'], 'invalid_type'],
    [{ theme: 'pink' }, ['theme'], 'invalid_value'],
    [{ nickname: 'a\0b' }, ['nickname'], 'invalid_format'],
    [{ company: 'x'.repeat(1024) }, [], 'too_big'],
    [[], [], 'invalid_type'],
    ['x', [], 'invalid_type'],
    [null, [], 'invalid_type'],
  ])('refuses %j and changes nothing', async (body, path, code) => {
    const { browser, ...test } = await start(engine);
    const refused = await patch(browser, body);
    expect(refusalOf(refused)).toBe('VALIDATION_FAILED');
    expect(refused.body.error.issues).toEqual([expect.objectContaining({ path, code })]);
    expect(await storedFields(test)).toEqual(fields);
  });

  it('reports every problem at once, and changes nothing if one field of several is wrong', async () => {
    const { browser, ...test } = await start(engine);
    const refused = await patch(browser, { company: '', theme: 'pink', nickname: 'Ada', credit: 2 });
    expect(refused.body.error.issues.map(({ path }) => path.join())).toEqual(['company', 'theme', 'credit']);
    expect(await storedFields(test)).toEqual(fields);
  });

  it('answers whichever of two faults is checked first', async () => {
    const { browser, server, client } = await start(engine);
    const invalid = { company: 1 };
    const foreign = { headers: { origin: 'https://evil.example' } };
    expect(refusalOf(await patch(client(), invalid, foreign))).toBe('CSRF_FAILED');
    expect(refusalOf(await patch(browser, {}, { headers: { 'x-app-request': null } }))).toBe('CSRF_FAILED');
    const text = { body: undefined, raw: 'x', headers: { 'content-type': 'text/plain' } };
    expect(refusalOf(await patch(client(), invalid, text))).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(refusalOf(await patch(client(), {}, { body: undefined, raw: '{"a":' }))).toBe('INVALID_JSON');
    expect(refusalOf(await patch(client(), invalid))).toBe('UNAUTHENTICATED');
    // The JWT of a revoked session is refused before its input is read, even by a process that has not heard of it.
    await server.stores.sessions.revoke(readToken(browser.cookies.get('app.sid')!).payload['sid'] as never);
    expect(refusalOf(await patch(browser, invalid))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await patch(browser, { nickname: 'Eve' }))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await browser.send('/api/auth/user', { method: 'POST', body: {} }))).toBe('METHOD_NOT_ALLOWED');
  });

  it('takes a JWT alone: the change mints no token, and no user signs in with a field', async () => {
    const { browser } = await start(engine);
    browser.cookies.delete('app.ref');
    expect((await patch(browser, { nickname: 'Ada' })).status).toBe(200);
    const bearer = { cookie: null, origin: null, authorization: `Bearer ${browser.cookies.get('app.sid')}` };
    expect((await patch(browser, { nickname: 'Lovelace' }, { headers: bearer })).status).toBe(200);
  });

  it('keeps both of two concurrent changes of different fields', async () => {
    const { browser, ...test } = await start(engine);
    const changes = [{ company: 'A' }, { nickname: 'B' }, { motto: 'C' }, { theme: 'light' }, { phone: '1' }];
    const statuses = await Promise.all(changes.map(async (change) => (await patch(browser, change)).status));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    expect(await storedFields(test)).toEqual(Object.assign({}, fields, ...changes));
  });

  it('does the same in process', async () => {
    const { browser, server, ...test } = await start(engine);
    const headers = new Headers({ cookie: `app.sid=${browser.cookies.get('app.sid')}` });
    const changed = await server.auth.api.updateUser({ company: 'B', theme: 'light' }, headers);
    expect(changed).toMatchObject({ ok: true, value: { email: ada.email, company: 'B', theme: 'light' } });
    expect(await storedFields({ ...test, server })).toEqual({ ...fields, company: 'B', theme: 'light' });
    const unknown = await server.auth.api.updateUser({ credit: 7 } as object, headers);
    expect(unknown).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED', issues: [{ path: ['credit'] }] } });
    const anonymous = await server.auth.api.updateUser({ company: 'C' }, new Headers());
    expect(anonymous).toMatchObject({ ok: false, error: { code: 'UNAUTHENTICATED' } });
  });

  it('does not exist in an app without fields that users may change', async () => {
    const { server, client } = await createTestServer({ engine, auth: { userFields: { credit: userFields.credit } } });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    expect(refusalOf(await patch(browser, {}))).toBe('NOT_FOUND');
    expect(await server.auth.api.updateUser({}, new Headers())).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });
});

describe.each(engines)('a change of a user by an operator on %s', (engine) => {
  it('changes any declared field, and logs who did it and the names of the fields', async () => {
    const { server, clock, ...test } = await start(engine);
    const { admin } = server.auth;
    clock.advance(1);
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    const changed = await admin.updateUser(id, { credit: 7, phone: 'secret number' }, { actor: 'olga' });
    expect(changed).toMatchObject({ ok: true, value: { id, credit: 7, disabledAt: null } });
    expect(JSON.stringify(changed)).not.toContain('secret number');
    expect(await storedFields({ ...test, server, clock })).toEqual({ ...fields, credit: 7, phone: 'secret number' });
    const log = await admin.listEvents({ userId: id });
    const [event] = log.ok ? log.value.items : [];
    expect(event).toMatchObject({ type: 'user.updated', detail: { fields: ['phone', 'credit'], actor: 'olga' } });
    expect(JSON.stringify(log)).not.toContain('secret number');
  });

  it('refuses fields that are not declared, invalid values, and unknown users', async () => {
    const { server, ...test } = await start(engine);
    const { admin } = server.auth;
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    for (const [change, path] of [
      [{ role: 'admin' }, 'role'],
      [{ credit: 1.5 }, 'credit'],
      [{ nmae: 'x' }, 'nmae'],
    ] as const) {
      const refused = await admin.updateUser(id, change as object);
      expect(refused).toMatchObject({ ok: false, error: { code: 'VALIDATION_FAILED', issues: [{ path: [path] }] } });
    }
    expect(await admin.updateUser('nobody', { credit: 7 })).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
    expect(await storedFields({ ...test, server })).toEqual(fields);
  });
});

describe.each(engines)('a user who lacks a required field on %s', (engine) => {
  it('is incomplete in the session and everywhere else, until the field is there', async () => {
    const { browser, server, ...test } = await start(engine);
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    // As if the field had been declared after they signed up.
    await server.stores.users.setFields(user.id, { nickname: 'Countess' });
    const refreshed = await browser.post('/api/auth/refresh');
    expect(refreshed.body.user).toMatchObject({ incomplete: ['company'] });
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: refreshed.body.user });
    expect((await test.client().post('/api/auth/signin', ada)).body.user).toMatchObject({ incomplete: ['company'] });
    expect(await server.auth.admin.findUser({ id: user.id })).toMatchObject({ value: { incomplete: ['company'] } });

    expect((await patch(browser, { nickname: 'Ada' })).body.user).toMatchObject({ incomplete: ['company'] });
    expect((await patch(browser, { company: 'Engines' })).body.user).not.toHaveProperty('incomplete');
    expect((await browser.post('/api/auth/refresh')).body.user).not.toHaveProperty('incomplete');
    expect((await browser.get('/api/auth/session')).body.session).not.toHaveProperty('user.incomplete');
  });
});
