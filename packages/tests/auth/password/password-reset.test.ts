import { describe, expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { createMailbox, type Mailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { expectSessionExpired, isValidJwt, refreshWith } from '../../support/refresh-tokens.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer, type TestServerOptions } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const next = 'another horse battery';
const [hour] = [3_600_000];

interface Resetting extends TestServer, Mailbox {
  /** The browser that signed up. */
  readonly browser: TestClient;
  readonly forgot: (email?: string) => Promise<TestResponse>;
  readonly token: () => Promise<string>;
  readonly reset: (token: unknown, password?: unknown) => Promise<TestResponse>;
  readonly signsIn: (password: string) => Promise<boolean>;
}

async function signUp(options: TestServerOptions): Promise<Resetting> {
  const mailbox = createMailbox();
  const test = await createTestServer({ ...options, auth: { ...mailbox.auth, ...options.auth } });
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  return {
    ...{ ...test, ...mailbox, browser },
    forgot: (email = ada.email) => test.client().post('/api/auth/forgot-password', { email }),
    token: () => mailbox.lastToken(test, 'reset', ada.email),
    reset: (token, password = next) => test.client().post('/api/auth/reset-password', { token, password }),
    signsIn: async (password) => (await test.client().post('/api/auth/signin', { ...ada, password })).status === 200,
  };
}

describe.each(engines)('password reset on %s', (engine) => {
  it('sets the password, ends every session, and signs no user in', async () => {
    const test = await signUp({ engine });
    const { browser, forgot, token, reset, signsIn } = test;
    await forgot();
    const response = await reset(await token());
    expect([response.status, response.text, response.headers.getSetCookie()]).toEqual([200, '{"ok":true}', []]);
    expect([await signsIn(ada.password), await signsIn(next)]).toEqual([false, true]);
    expect(await isValidJwt(test, browser.cookies.get('app.sid')!)).toBe(false);
    expectSessionExpired(await refreshWith(test, browser.cookies.get('app.ref')!));
  });

  it('proves the address that the mail went to', async () => {
    const { client, server, forgot, token, reset } = await signUp({ engine });
    await forgot();
    await reset(await token());
    expect(await server.stores.users.findByLoginEmail(ada.email)).toMatchObject({
      emailVerified: true,
      emailProvenAt: server.stores.clock.now(),
    });
    const signedIn = await client().post('/api/auth/signin', { ...ada, password: next });
    expect(signedIn.body.user.emailVerified).toBe(true);
  });

  it('accepts a token once, and refuses one that is expired, cut off or unknown', async () => {
    const { clock, forgot, token, reset, signsIn } = await signUp({ engine });
    await forgot();
    const used = await token();
    expect((await reset(used)).status).toBe(200);
    expect(refusalOf(await reset(used, 'a third horse battery'))).toBe('TOKEN_INVALID');
    await forgot();
    const late = await token();
    for (const wrong of ['', late.slice(1), `${late}=`, 'x'.repeat(5000), '\0']) {
      expect(refusalOf(await reset(wrong))).toBe('TOKEN_INVALID');
    }
    clock.advance(hour);
    expect(refusalOf(await reset(late, 'a third horse battery'))).toBe('TOKEN_EXPIRED');
    expect(await signsIn(next)).toBe(true);
  });

  it('accepts a token until the millisecond before it expires', async () => {
    const { clock, forgot, token, reset } = await signUp({ engine });
    await forgot();
    const sent = await token();
    clock.advance(hour - 1);
    expect((await reset(sent)).status).toBe(200);
  });

  it('keeps the token valid if the new password is refused', async () => {
    const { forgot, token, reset, signsIn } = await signUp({ engine });
    await forgot();
    const sent = await token();
    for (const weak of [
      'short',
      'password123',
      'x'.repeat(257),
      'x'.repeat(2000),
      '',
      null,
      ['x'.repeat(9)],
      '\ud800abcdefgh',
    ]) {
      expect(refusalOf(await reset(sent, weak))).toBe('VALIDATION_FAILED');
    }
    expect((await reset(sent)).status).toBe(200);
    expect(await signsIn(next)).toBe(true);
  });

  it('invalidates the older token with each newer one', async () => {
    const { forgot, token, reset } = await signUp({ engine });
    await forgot();
    const first = await token();
    await forgot();
    const second = await token();
    expect(refusalOf(await reset(first))).toBe('TOKEN_INVALID');
    expect((await reset(second)).status).toBe(200);
  });

  it('invalidates every other mailed token, because an intruder may have requested another address', async () => {
    const { browser, client, forgot, lastToken, reset, server, token } = await signUp({ engine });
    await browser.post('/api/auth/change-email', { email: 'eve@example.com', password: ada.password });
    const change = await lastToken({ server }, 'verification', 'eve@example.com');
    await forgot();
    await reset(await token());
    expect(refusalOf(await client().post('/api/auth/verify-email', { token: change }))).toBe('TOKEN_INVALID');
  });

  it('keeps the sessions if configured so, but not those of an address that was not proven', async () => {
    const { passwordReset } = createMailbox().auth;
    expect(passwordReset!.enabled).toBe(true);
    const mailbox = createMailbox();
    const auth = { ...mailbox.auth, passwordReset: { ...mailbox.auth.passwordReset!, revokeSessionsOnReset: false } };
    const test = await createTestServer({ engine, auth });
    const resetOnce = async (password: string): Promise<void> => {
      await test.client().post('/api/auth/forgot-password', { email: ada.email });
      const token = await mailbox.lastToken(test, 'reset', ada.email);
      expect((await test.client().post('/api/auth/reset-password', { token, password })).status).toBe(200);
    };
    const squatter = test.client();
    await squatter.post('/api/auth/signup', ada);
    await resetOnce(next);
    expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
    const owner = test.client();
    await owner.post('/api/auth/signin', { ...ada, password: next });
    await resetOnce('a third horse battery');
    expect((await owner.post('/api/auth/refresh')).status).toBe(200);
  });

  it('gives an account without a password its first one', async () => {
    const test = await signUp({ engine });
    await addUser(test.server, { email: 'oauth@example.com' });
    await test.forgot('oauth@example.com');
    const token = await test.lastToken(test, 'reset', 'oauth@example.com');
    await test.reset(token);
    const signedIn = await test.client().post('/api/auth/signin', { email: 'oauth@example.com', password: next });
    expect(signedIn.status).toBe(200);
  });

  it('mails the stored address for any spelling in the request', async () => {
    const { forgot, mails, server } = await signUp({ engine });
    await forgot(' ＡＤＡ@Example.COM ');
    await server.auth.drain();
    expect(mails.filter(({ kind }) => kind === 'reset').map(({ to }) => to)).toEqual([ada.email]);
  });

  it('hashes nothing for an invalid token', async () => {
    const { server, reset } = await signUp({ engine });
    const hash = vi.spyOn(server.auth.dependencies.passwords.hasher, 'hash');
    await reset('x'.repeat(43));
    expect(hash).not.toHaveBeenCalled();
  });

  it('logs the request, the reset and the sessions that it ended', async () => {
    const { browser, client, forgot, token, reset, server } = await signUp({ engine });
    const { id } = (await browser.get('/api/auth/session')).body.session!;
    await forgot();
    await reset(await token());
    const owner = client();
    await owner.post('/api/auth/signin', { ...ada, password: next });
    const { items } = (await owner.get('/api/auth/events')).body;
    expect(items.map(({ type }) => String(type)).toSorted()).toEqual(
      [
        ...['user.created', 'email_verification.requested', 'password_reset.requested', 'password.reset'],
        ...['account.reclaimed', 'session.revoked', 'email.verified', 'sign_in.succeeded'],
      ].toSorted(),
    );
    const revoked = items.find(({ type }) => type === 'session.revoked');
    expect(revoked).toMatchObject({ sessionId: id, detail: { reason: 'account_reclaimed', sessionIds: [id] } });
    expect(JSON.stringify(items)).not.toContain(await token());
    expect(await server.stores.passwordResets.find(await token())).toBeNull();
    // From now on, the address is proven.
    await forgot();
    await reset(await token(), 'a third horse battery');
    const { id: userId } = (await server.stores.users.findByLoginEmail(ada.email))!;
    const { items: later } = await server.stores.events.listByUser(userId, { limit: 50, after: null });
    expect(later.filter(({ type }) => type === 'account.reclaimed')).toHaveLength(1);
    const reasons = later.filter(({ type }) => type === 'session.revoked').map(({ detail }) => detail['reason']);
    expect(new Set(reasons)).toEqual(new Set(['account_reclaimed', 'password_reset']));
  });
});
