import type { AuthAdmin } from '@x/auth';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { expectSessionExpired } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

/** A user with two sessions, and another user with one. */
interface Household extends TestServer {
  readonly admin: AuthAdmin;
  readonly id: string;
  readonly browsers: readonly [TestClient, TestClient];
  readonly eve: TestClient;
  readonly countActive: () => Promise<number>;
}

async function createHousehold(engine: (typeof engines)[number]): Promise<Household> {
  const server = await createTestServer({ engine });
  const [one, other, eve] = [server.client(), server.client(), server.client()];
  const { id } = (await one.post('/api/auth/signup', ada)).body.user;
  await other.post('/api/auth/signin', ada);
  await eve.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
  return {
    ...{ ...server, id, eve, admin: server.server.auth.admin, browsers: [one, other] },
    countActive: () => server.server.stores.sessions.countActive(id as UserId),
  };
}

async function isSignedIn(browser: TestClient): Promise<boolean> {
  return (await browser.get('/api/auth/session')).body.session !== null;
}

/** Everything about a response by which refusals could be visibleParts apart. */
function visibleParts({ status, text, headers }: TestResponse): unknown {
  headers.delete('x-request-id');
  return { status, text, headers: [...headers] };
}

describe.each(engines)('a disabled user on %s', (engine) => {
  it('loses every session at once, while other users keep theirs', async () => {
    const { admin, id, browsers, eve, clock, countActive } = await createHousehold(engine);
    clock.advance(1000);
    const disabled = await admin.disableUser(id);
    expect(disabled).toMatchObject({ ok: true, value: { id, disabledAt: clock.now(), updatedAt: clock.now() } });
    expect(await countActive()).toBe(0);
    for (const browser of browsers) {
      expect(await isSignedIn(browser)).toBe(false);
      expect(refusalOf(await browser.get('/api/auth/sessions'))).toBe('UNAUTHENTICATED');
      expectSessionExpired(await browser.post('/api/auth/refresh'));
    }
    expect(await isSignedIn(eve)).toBe(true);
    expect((await eve.post('/api/auth/refresh')).status).toBe(200);
  });

  it('is refused like a wrong password, and stays refused', async () => {
    const { admin, id, client, countActive } = await createHousehold(engine);
    await admin.disableUser(id);
    const wrong = await client().post('/api/auth/signin', { email: 'eve@example.com', password: 'wrong' });
    for (let count = 0; count < 2; count += 1) {
      const response = await client().post('/api/auth/signin', ada);
      expect(refusalOf(response)).toBe('INVALID_CREDENTIALS');
      expect(visibleParts(response)).toEqual(visibleParts(wrong));
    }
    expect(refusalOf(await client().post('/api/auth/signup', ada))).toBe('USER_EXISTS');
    expect(await countActive()).toBe(0);
  });

  it('keeps the time at which they were first disabled', async () => {
    const { admin, id, clock } = await createHousehold(engine);
    const disabledAt = clock.now();
    await admin.disableUser(id);
    clock.advance(5000);
    expect(await admin.disableUser(id)).toMatchObject({ value: { disabledAt } });
    expect(await admin.findUser({ id })).toMatchObject({ value: { disabledAt } });
  });

  it('may sign in again once enabled, but the ended sessions stay ended', async () => {
    const { admin, id, browsers, client, countActive } = await createHousehold(engine);
    const before = browsers.map(({ cookies }) => new Map(cookies));
    await admin.disableUser(id);
    expect(await admin.enableUser(id)).toMatchObject({ ok: true, value: { id, disabledAt: null } });
    const browser = client();
    for (const cookies of before) {
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      expect(await isSignedIn(browser)).toBe(false);
      expect(refusalOf(await browser.post('/api/auth/refresh'))).toBe('SESSION_EXPIRED');
    }
    expect((await browser.post('/api/auth/signin', ada)).status).toBe(200);
    expect([await isSignedIn(browser), await countActive()]).toEqual([true, 1]);
    expect(await admin.enableUser(id)).toMatchObject({ ok: true, value: { disabledAt: null } });
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe.each(engines)('a changed role on %s', (engine) => {
  it('invalidates JWTs with the old one at once, while the sessions continue', async () => {
    const { admin, id, browsers, eve, clock, countActive } = await createHousehold(engine);
    clock.advance(1000);
    const updated = { id, role: 'editor', updatedAt: clock.now() };
    expect(await admin.setRole(id, 'editor')).toMatchObject({ ok: true, value: updated });
    expect(await countActive()).toBe(2);
    for (const browser of browsers) {
      const old = browser.cookies.get('app.sid')!;
      expect(await isSignedIn(browser)).toBe(false);
      expect(refusalOf(await browser.get('/api/auth/sessions'))).toBe('UNAUTHENTICATED');
      const { status, body } = await browser.post('/api/auth/refresh');
      expect([status, body.user]).toMatchObject([200, { role: 'editor' }]);
      const { session } = (await browser.get('/api/auth/session')).body;
      expect(session).toMatchObject({ id: readToken(old).payload['sid'], user: { role: 'editor' } });
      expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject({ role: 'editor', ver: 1 });
      browser.cookies.set('app.sid', old);
      expect(await isSignedIn(browser)).toBe(false);
    }
    expect(await isSignedIn(eve)).toBe(true);
  });

  it('applies after every change, even back to the first role, and to later sign-ins', async () => {
    const { admin, id, browsers, client } = await createHousehold(engine);
    const [browser] = browsers;
    for (const [index, role] of ['editor', 'admin', 'user', 'user'].entries()) {
      await admin.setRole(id, role);
      expect(await isSignedIn(browser)).toBe(false);
      await browser.post('/api/auth/refresh');
      expect(readToken(browser.cookies.get('app.sid')!).payload).toMatchObject({ role, ver: index + 1 });
      expect(await isSignedIn(browser)).toBe(true);
    }
    await admin.setRole(id, 'owner');
    const fresh = client();
    expect((await fresh.post('/api/auth/signin', ada)).body.user).toMatchObject({ role: 'owner' });
    expect(await isSignedIn(fresh)).toBe(true);
  });

  it.each([
    '',
    ' ',
    'a ',
    ' a',
    'a\n',
    'a\0b',
    'a\u202eb',
    '\ud800',
    'x'.repeat(65),
    '\u{1f600}'.repeat(65),
    5,
    null,
    undefined,
    ['admin'],
    {},
  ])('is refused with VALIDATION_FAILED if it is %j, and changes nothing', async (role) => {
    const { admin, id, browsers } = await createHousehold(engine);
    expect(await admin.setRole(id, role as string)).toEqual({
      ok: false,
      error: {
        code: 'VALIDATION_FAILED',
        message: expect.any(String),
        issues: [{ path: ['role'], code: 'invalid_format', message: expect.any(String) }],
      },
    });
    expect(await admin.findUser({ id })).toMatchObject({ value: { role: 'user' } });
    expect(await isSignedIn(browsers[0])).toBe(true);
  });

  it.each([
    'x',
    'x'.repeat(64),
    'team lead',
    'Läufer',
    '管理者',
    '\u{1f600}'.repeat(64),
    '__proto__',
    'constructor',
    '"\\\';--',
  ])('may be %j', async (role) => {
    const { admin, id, browsers } = await createHousehold(engine);
    expect(await admin.setRole(id, role)).toMatchObject({ ok: true, value: { role } });
    expect((await browsers[0].post('/api/auth/refresh')).body.user).toMatchObject({ role });
    expect((await browsers[0].get('/api/auth/session')).body.session).toMatchObject({ user: { role } });
  });
});

describe.each(engines)('a user whom an operator signs out on %s', (engine) => {
  it('loses every session at once, and may sign in again', async () => {
    const { admin, id, browsers, eve, client, countActive } = await createHousehold(engine);
    expect(await admin.signOutUser(id)).toMatchObject({ ok: true, value: { revoked: 2 } });
    for (const browser of browsers) {
      expect(await isSignedIn(browser)).toBe(false);
      expect(refusalOf(await browser.post('/api/auth/refresh'))).toBe('SESSION_EXPIRED');
    }
    expect(await admin.signOutUser(id)).toMatchObject({ ok: true, value: { revoked: 0 } });
    expect([await countActive(), await isSignedIn(eve)]).toEqual([0, true]);
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
    expect(await countActive()).toBe(1);
  });
});
