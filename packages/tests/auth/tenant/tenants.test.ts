import type { Tenancy } from '@x/auth';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createMailbox } from '../../support/mailbox.ts';
import { isValidJwt } from '../../support/refresh-tokens.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, submitCode, claimOf, createMfaServer, enrol } from '../../support/second-factor.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { totpCode } from '../../support/totp-code.ts';
import {
  createTestDatabase,
  createTestServer,
  engines,
  type TestServerOptions,
  type TestServer,
} from '../../support/test-server.ts';

const minute = 60_000;
const names: Readonly<Record<string, string>> = { one: 'First', two: 'Second' };

/** Every user is a member of both tenants. */
const tenant: Tenancy = {
  list: () => Object.entries(names).map(([id, name]) => ({ id, name, secret: 'x' })),
  isMember: async (_user, tenantId) => Object.hasOwn(names, tenantId),
};

interface InTenants extends TestServer {
  readonly browser: TestClient;
  readonly userId: UserId;
}

async function signedUp({ auth, ...options }: TestServerOptions = {}): Promise<InTenants> {
  const test = await createMfaServer({ ...options, auth: { tenant, ...auth } });
  const browser = test.client();
  const { id } = (await browser.post('/api/auth/signup', ada)).body.user;
  return { ...test, browser, userId: id as UserId };
}

function switchTo(browser: TestClient, tenantId: unknown): Promise<TestResponse> {
  return browser.post('/api/auth/switch-tenant', { tenantId });
}

describe.each(engines)('tenants on %s', (engine) => {
  it('are listed as the app returns them, with the current one of the session', async () => {
    const { browser } = await signedUp({ engine });
    const tenants = [
      { id: 'one', name: 'First' },
      { id: 'two', name: 'Second' },
    ];
    expect((await browser.get('/api/auth/tenants')).body).toEqual({ tenants, currentTenantId: null });
    await switchTo(browser, 'two');
    expect((await browser.get('/api/auth/tenants')).body).toEqual({ tenants, currentTenantId: 'two' });
  });

  it('can be switched in the same session, whose older JWTs are refused', async () => {
    const test = await signedUp({ engine });
    const { browser } = test;
    const before = browser.cookies.get('app.sid')!;
    const sid = claimOf(browser, 'sid');
    const switched = await switchTo(browser, 'two');
    expect([switched.status, Object.keys(switched.body).toSorted()]).toEqual([200, ['expiresAt', 'tenantId', 'user']]);
    expect(switched.body).toMatchObject({ tenantId: 'two', user: { tenantId: 'two' } });
    expect([claimOf(browser, 'tenantId'), claimOf(browser, 'sid'), claimOf(browser, 'ver')]).toEqual(['two', sid, 1]);
    expect(await isValidJwt(test, before)).toBe(false);
    expect(await isValidJwt(test, browser.cookies.get('app.sid')!)).toBe(true);
    expect((await browser.get('/api/auth/sessions')).body.sessions).toHaveLength(1);
    const { session } = (await browser.get('/api/auth/session')).body;
    expect(session).toMatchObject({ id: sid, user: { tenantId: 'two' } });
  });

  it('stay with the session, as fva does, when it is refreshed, even after its JWT has expired', async () => {
    const test = await createMfaServer({ engine, auth: { tenant } });
    const { browser, nextCode } = await enrol(test);
    await browser.post('/api/auth/mfa/step-up', { code: nextCode() });
    const fva = claimOf(browser, 'fva');
    await switchTo(browser, 'two');
    expect(claimOf(browser, 'fva')).toBe(fva);
    for (const wait of [minute, 24 * 60 * minute]) {
      test.clock.advance(wait);
      const refreshed = await browser.post('/api/auth/refresh');
      expect(refreshed.body.user).toMatchObject({ tenantId: 'two' });
      expect([claimOf(browser, 'tenantId'), claimOf(browser, 'ver'), claimOf(browser, 'fva')]).toEqual(['two', 1, fva]);
    }
  });

  it('stay as they are if the session is switched to its own, and the JWT expires no later', async () => {
    const test = await signedUp({ engine, auth: { session: { strategy: 'jwt', algorithm: 'ES256', ttl: '60s' } } });
    const { browser, userId } = test;
    await switchTo(browser, 'two');
    const before = { exp: claimOf(browser, 'exp'), ver: claimOf(browser, 'ver') };
    for (let count = 0; count < 3; count += 1) {
      test.clock.advance(10_000);
      const switched = await switchTo(browser, 'two');
      expect([switched.status, switched.body]).toMatchObject([200, { tenantId: 'two' }]);
      expect({ exp: claimOf(browser, 'exp'), ver: claimOf(browser, 'ver') }).toEqual(before);
      expect(new Date(switched.body.expiresAt).getTime()).toBe((before.exp as number) * 1000);
    }
    const { items } = await test.server.stores.events.listByUser(userId, { limit: 100, after: null });
    expect(items.filter(({ type }) => type === 'session.tenant_switched')).toHaveLength(1);
  });

  it('are switched without sending the refresh token, at most 30 times a minute', async () => {
    const { browser, clock } = await signedUp({ engine });
    for (let count = 0; count < 30; count += 1) {
      const switched = await switchTo(browser, count % 2 ? 'one' : 'two');
      expect(switched.headers.getSetCookie().map((cookie) => cookie.replace(/=.*/, ''))).toEqual(['app.sid']);
    }
    expect(refusalOf(await switchTo(browser, 'two'))).toBe('RATE_LIMITED');
    clock.advance(minute);
    expect((await switchTo(browser, 'two')).status).toBe(200);
  });

  it('apply to the next sign-in, while other sessions keep theirs', async () => {
    const test = await signedUp({ engine });
    const { browser, client } = test;
    const other = client();
    await other.post('/api/auth/signin', ada);
    const othersJwt = other.cookies.get('app.sid')!;
    await switchTo(browser, 'two');
    expect(await isValidJwt(test, othersJwt)).toBe(true);
    await other.post('/api/auth/refresh');
    expect([claimOf(other, 'tenantId'), claimOf(other, 'ver')]).toEqual([null, 0]);
    const next = client();
    expect((await next.post('/api/auth/signin', ada)).body.user).toMatchObject({ tenantId: 'two' });
    expect(claimOf(next, 'tenantId')).toBe('two');
  });

  it('apply to a sign-in with a second factor, too', async () => {
    const test = await createMfaServer({ engine, auth: { tenant } });
    const { browser, challenged, nextCode } = await enrol(test);
    await switchTo(browser, 'one');
    const other = await challenged();
    await submitCode(other, nextCode());
    expect(claimOf(other, 'tenantId')).toBe('one');
  });

  it('are refused without a change if the user is not a member', async () => {
    const test = await signedUp({ engine });
    const { browser, userId } = test;
    const jwt = browser.cookies.get('app.sid')!;
    for (const tenantId of ['three', '', 'ONE', 'one ', '__proto__', 'constructor', '../one', 'x'.repeat(256)]) {
      const refused = await switchTo(browser, tenantId);
      expect([refusalOf(refused), refused.headers.getSetCookie()]).toEqual(['FORBIDDEN', []]);
    }
    for (const tenantId of [null, 1, ['one'], { id: 'one' }, 'one\0', '\ud800', 'x'.repeat(257), undefined]) {
      expect(refusalOf(await switchTo(browser, tenantId))).toBe('VALIDATION_FAILED');
    }
    expect(refusalOf(await browser.post('/api/auth/switch-tenant', { tenantId: 'one', userId }))).toBe(
      'VALIDATION_FAILED',
    );
    expect(await isValidJwt(test, jwt)).toBe(true);
    expect(await test.server.stores.users.findById(userId)).toMatchObject({ tenantId: null });
  });

  it('require an active session', async () => {
    const { browser, client, server } = await signedUp({ engine });
    expect(refusalOf(await client().get('/api/auth/tenants'))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await switchTo(client(), 'one'))).toBe('UNAUTHENTICATED');
    const headers = new Headers({ cookie: `app.sid=${browser.cookies.get('app.sid')}` });
    await server.auth.api.revokeSession(claimOf(browser, 'sid') as string, headers);
    expect(refusalOf(await switchTo(browser, 'one'))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await browser.get('/api/auth/tenants'))).toBe('UNAUTHENTICATED');
  });

  it('are checked for the user in the tenant of the session, while the claims are those of the new one', async () => {
    const checked = new Set<string>();
    const auth: TestServerOptions['auth'] = {
      tenant: {
        list: tenant.list,
        isMember: (user, tenantId) => checked.add([user.email, user.tenantId, tenantId].join()).size > 0,
      },
      claims: (user) => ({ workspace: user.tenantId ?? 'none' }),
    };
    const { browser } = await signedUp({ engine, auth });
    await switchTo(browser, 'one');
    await switchTo(browser, 'two');
    expect([...checked]).toEqual([`${ada.email},,one`, `${ada.email},one,two`]);
    expect(claimOf(browser, 'workspace')).toBe('two');
  });

  it('are checked again in the transaction of the switch, through its stores', async () => {
    const isMember: Tenancy['isMember'] = async (_user, _tenantId, { stores }) => {
      // The first check passes; the membership ends before the second.
      return (await stores.counters.add('responses', 1)) === 1;
    };
    const { browser, userId, server } = await signedUp({ engine, auth: { tenant: { ...tenant, isMember } } });
    expect(refusalOf(await switchTo(browser, 'one'))).toBe('FORBIDDEN');
    expect(await server.stores.users.findById(userId)).toMatchObject({ tenantId: null });
    expect(await server.stores.counters.read('responses'), 'the second was undone with the move').toBe(1);
  });

  it('appear in the claims of a step-up as in its session, also after the user switched elsewhere', async () => {
    const claims: NonNullable<TestServerOptions['auth']>['claims'] = (user) => ({ workspace: user.tenantId ?? 'none' });
    const test = await createMfaServer({ engine, auth: { tenant, claims } });
    const { browser, challenged, nextCode } = await enrol(test);
    const other = await challenged();
    await submitCode(other, nextCode());
    await switchTo(other, 'two');
    const steppedUp = await browser.post('/api/auth/mfa/step-up', { code: nextCode() });
    expect(steppedUp.body.user).toMatchObject({ tenantId: null });
    expect([claimOf(browser, 'tenantId'), claimOf(browser, 'workspace')]).toEqual([null, 'none']);
  });

  it('accept 20 concurrent switches, which leave the session in one of them with the highest ver', async () => {
    const database = createTestDatabase(engine);
    const servers = await Promise.all(Array.from({ length: 4 }, () => createMfaServer({ database, auth: { tenant } })));
    const browser = servers[0]!.client();
    await browser.post('/api/auth/signup', ada);
    const browsers = Array.from({ length: 20 }, (_, index) => {
      const each = servers[index % 4]!.client();
      each.adoptSession(browser);
      return each;
    });
    const responses = await Promise.all(browsers.map((each, index) => switchTo(each, index % 2 ? 'one' : 'two')));
    const good = responses.filter(({ status }) => status === 200);
    // A switch that starts after another one's commit may have its JWT refused.
    expect(responses.filter(({ status }) => status !== 200 && status !== 401)).toEqual([]);
    expect(good.length).toBeGreaterThan(0);
    const session = (await servers[0]!.server.stores.sessions.findById(claimOf(browser, 'sid') as never))!;
    const user = (await servers[0]!.server.stores.users.findByLoginEmail(ada.email))!;
    const { items } = await servers[0]!.server.stores.events.listByUser(user.id, { limit: 100, after: null });
    const switches = items.filter(({ type }) => type === 'session.tenant_switched');
    expect(session.ver, 'raised by each that found the session elsewhere').toBe(switches.length);
    expect(switches.length).toBeGreaterThan(0);
    const last = browsers.find((each) => claimOf(each, 'ver') === session.ver)!;
    expect(claimOf(last, 'tenantId')).toBe(session.tenantId);
    expect(user.tenantId).toBe(session.tenantId);
  });

  it('are logged when they are switched', async () => {
    const test = await signedUp({ engine });
    test.clock.advance(1000);
    await switchTo(test.browser, 'one');
    const { body } = await test.browser.get('/api/auth/events?limit=1');
    expect(body.items).toMatchObject([{ type: 'session.tenant_switched', detail: { from: null } }]);
    const events = await test.server.stores.events.listByTenant('one', { limit: 10, after: null });
    expect(events.items.map(({ type }) => type)).toEqual(['session.tenant_switched']);
  });

  it('are those of the session in its log lines, also after the user switched elsewhere', async () => {
    const test = await createMfaServer({ engine, auth: { tenant, ...createMailbox().auth } });
    const { browser, challenged, nextCode, wrongCode, userId } = await enrol(test);
    const other = await challenged();
    await submitCode(other, nextCode());
    await switchTo(other, 'two');
    const sid = claimOf(browser, 'sid');
    const post = (path: string, body?: object): Promise<TestResponse> => browser.post(`/api/auth/${path}`, body);
    const passwords = { currentPassword: ada.password, newPassword: 'another horse battery' };

    await post('resend-verification');
    await post('mfa/step-up', { code: wrongCode() });
    await post('mfa/backup-codes', { code: nextCode() });
    await post('change-password', { ...passwords, currentPassword: 'wrong horse battery' });
    await post('change-password', passwords);
    await post('change-email', { email: 'new@example.com', code: nextCode() });
    await post('mfa/disable', { code: nextCode() });
    const { secret } = (await post('mfa/setup')).body;
    await post('mfa/verify-setup', { code: totpCode(secret, test.clock.now()) });
    test.clock.advance(30_000);
    const code = totpCode(secret, test.clock.now());
    await browser.send('/api/auth/account', { method: 'DELETE', body: { code } });

    const { items } = await test.server.stores.events.listByUser(userId as UserId, { limit: 100, after: null });
    const logged = items.filter(({ sessionId }) => sessionId === sid);
    expect(new Set(logged.map(({ tenantId }) => tenantId))).toEqual(new Set([null]));
    expect(new Set(logged.map(({ type }) => type))).toEqual(
      new Set([
        ...['user.created', 'mfa.enabled', 'mfa.refused', 'mfa.backup_codes_replaced', 'password.refused'],
        ...[
          'password.changed',
          'mfa.disabled',
          'user.deleted',
          'session.revoked',
          'email_verification.requested',
          'email_change.requested',
        ],
      ]),
    );
  });
});

it.each([undefined, 1, 'yes', {}, null])('does not accept %j as a membership', async (membership) => {
  const isMember = (() => membership) as unknown as Tenancy['isMember'];
  const { browser } = await signedUp({ auth: { tenant: { ...tenant, isMember } } });
  expect(refusalOf(await switchTo(browser, 'one'))).toBe('FORBIDDEN');
});

it('has no tenant routes if the app defines no tenants', async () => {
  const { client, server } = await createTestServer();
  const browser = client();
  await browser.post('/api/auth/signup', ada);
  expect(refusalOf(await browser.get('/api/auth/tenants'))).toBe('NOT_FOUND');
  expect(refusalOf(await switchTo(browser, 'one'))).toBe('NOT_FOUND');
  const headers = new Headers({ cookie: `app.sid=${browser.cookies.get('app.sid')}` });
  for (const outcome of [
    await server.auth.api.listTenants(headers),
    await server.auth.api.switchTenant({ tenantId: 'one' }, headers),
  ]) {
    expect(outcome).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  }
});
