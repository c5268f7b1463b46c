import { describe, expect, it, vi } from 'vitest';
import { createMailbox, type Mailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestResponse, TestClient } from '../../support/test-client.ts';
import {
  createTestDatabase,
  createTestServer,
  engines,
  type TestServer,
  type TestServerOptions,
} from '../../support/test-server.ts';
import { readToken } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

interface Verifying extends TestServer, Mailbox {
  /** The browser that has just signed up. */
  readonly browser: TestClient;
  readonly token: () => Promise<string>;
  readonly verify: (token: unknown) => Promise<TestResponse>;
  readonly isVerified: () => Promise<unknown>;
}

async function signUp(options: TestServerOptions): Promise<Verifying> {
  const mailbox = createMailbox();
  const test = await createTestServer({ ...options, auth: { ...mailbox.auth, ...options.auth } });
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  return {
    ...{ ...test, ...mailbox, browser },
    token: () => mailbox.lastToken(test, 'verification', ada.email),
    verify: (token) => browser.post('/api/auth/verify-email', { token }),
    isVerified: async () => (await test.client().post('/api/auth/signin', ada)).body.user.emailVerified,
  };
}

describe.each(engines)('e-mail verification on %s', (engine) => {
  it('mails a token on sign-up, which proves the address once', async () => {
    const { server, browser, mails, token, verify, isVerified } = await signUp({ engine });
    expect(await isVerified()).toBe(false);
    const sent = await token();
    expect(sent).toMatch(/^[\w-]{43}$/);
    expect(mails).toMatchObject([{ kind: 'verification', to: ada.email, user: { emailVerified: false } }]);
    const response = await verify(sent);
    expect([response.status, response.text, response.headers.getSetCookie()]).toEqual([200, '{"ok":true}', []]);
    expect(await isVerified()).toBe(true);
    const stored = await server.stores.users.findByLoginEmail(ada.email);
    expect(stored?.emailProvenAt).toEqual(server.stores.clock.now());
    expect(refusalOf(await verify(sent))).toBe('TOKEN_INVALID');
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
    await browser.post('/api/auth/refresh');
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: { emailVerified: true } });
  });

  it.each([
    { sent: 'with a session of the account', isProven: true },
    { sent: 'with the password of the account', isProven: true },
    { sent: 'alone', isProven: false },
    { sent: 'with a session of another account', isProven: false },
  ])('verifies an address by a token sent $sent; that the holder has it is proven: $isProven', async (given) => {
    const { client, server, browser, token } = await signUp({ engine });
    const eve = client();
    await eve.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
    const sender = { 'with a session of the account': browser, 'with a session of another account': eve }[given.sent];
    const proof = given.sent.includes('password') && { password: ada.password };
    const response = await (sender ?? client()).post('/api/auth/verify-email', { token: await token(), ...proof });
    expect(response.status).toBe(200);
    const stored = await server.stores.users.findByLoginEmail(ada.email);
    expect([stored?.emailVerified, stored?.emailProvenAt !== null]).toEqual([true, given.isProven]);
  });

  it('takes a changed address for proven on the same terms', async () => {
    const { client, server, browser, token, verify, lastToken } = await signUp({ engine });
    await verify(await token());
    await browser.post('/api/auth/change-email', { email: 'lovelace@example.com', password: ada.password });
    const change = await lastToken({ server }, 'verification', 'lovelace@example.com');
    await client().post('/api/auth/verify-email', { token: change });
    const stored = await server.stores.users.findByLoginEmail('lovelace@example.com');
    expect([stored?.emailVerified, stored?.emailProvenAt]).toEqual([true, null]);
  });

  it('refuses a wrong password as a sign-in does, counts it, and leaves the token as it was', async () => {
    const emailPassword = { rateLimit: { maxAttempts: 3 } };
    const { client, server, token, verify } = await signUp({ engine, auth: { emailPassword } });
    const sent = await token();
    const guess = { token: sent, password: 'wrong horse battery' };
    for (let count = 0; count < 3; count += 1) {
      expect(refusalOf(await client().post('/api/auth/verify-email', guess))).toBe('INVALID_CREDENTIALS');
    }
    expect(refusalOf(await client().post('/api/auth/verify-email', guess))).toBe('RATE_LIMITED');
    expect((await server.stores.users.findByLoginEmail(ada.email))?.emailVerified).toBe(false);
    expect((await verify(sent)).status).toBe(200);
  });

  it('distinguishes an expired token from an invalid one, to the millisecond', async () => {
    const { clock, token, verify, isVerified } = await signUp({ engine });
    const sent = await token();
    clock.advance(day - 1);
    for (const wrong of [
      '',
      sent.slice(1),
      `${sent}A`,
      sent.toLowerCase(),
      ` ${sent}`,
      'x'.repeat(5000),
      '\0',
      '\ud800',
    ]) {
      expect(refusalOf(await verify(wrong))).toBe('TOKEN_INVALID');
    }
    for (const none of [undefined, null, 1, [sent], { token: sent }]) {
      expect(refusalOf(await verify(none))).toBe('VALIDATION_FAILED');
    }
    clock.advance(1);
    expect(refusalOf(await verify(sent))).toBe('TOKEN_EXPIRED');
    expect(refusalOf(await verify(sent))).toBe('TOKEN_EXPIRED');
    expect(await isVerified()).toBe(false);
  });

  it('opens no transaction for an invalid token, because any client can send many', async () => {
    const { server, verify } = await signUp({ engine });
    const transaction = vi.spyOn(server.stores, 'transaction');
    expect(refusalOf(await verify('x'.repeat(43)))).toBe('TOKEN_INVALID');
    expect(transaction).not.toHaveBeenCalled();
  });

  it('accepts a token until the millisecond before it expires', async () => {
    const { clock, token, verify } = await signUp({ engine });
    const sent = await token();
    clock.advance(day - 1);
    expect((await verify(sent)).status).toBe(200);
  });

  it('takes its lifetime from the settings', async () => {
    const mailbox = createMailbox();
    const emailVerification = { ...mailbox.auth.emailVerification!, tokenTtl: '5m' } as const;
    const test = await createTestServer({ engine, auth: { emailVerification } });
    await test.client().post('/api/auth/signup', ada);
    const token = await mailbox.lastToken(test, 'verification', ada.email);
    test.clock.advance(5 * minute);
    expect(refusalOf(await test.client().post('/api/auth/verify-email', { token }))).toBe('TOKEN_EXPIRED');
  });

  it('invalidates the older token with each newer one', async () => {
    const { browser, mails, token, verify } = await signUp({ engine });
    const first = await token();
    expect((await browser.post('/api/auth/resend-verification')).status).toBe(200);
    const second = await token();
    expect(mails).toHaveLength(2);
    expect(second).not.toBe(first);
    expect(refusalOf(await verify(first))).toBe('TOKEN_INVALID');
    expect((await verify(second)).status).toBe(200);
  });

  it('resends nothing to a verified address, and nothing for an anonymous caller', async () => {
    const { client, browser, server, mails, token, verify } = await signUp({ engine });
    await verify(await token());
    const response = await browser.post('/api/auth/resend-verification');
    expect([response.status, response.text]).toEqual([200, '{"ok":true}']);
    await server.auth.drain();
    expect(mails).toHaveLength(1);
    expect(refusalOf(await client().post('/api/auth/resend-verification'))).toBe('UNAUTHENTICATED');
  });

  it('resends a token three times an hour for one user, counted before it checks whether that is needed', async () => {
    const { browser, clock, mails, server, token, verify } = await signUp({ engine });
    await verify(await token());
    for (let count = 0; count < 3; count += 1) {
      expect((await browser.post('/api/auth/resend-verification')).status).toBe(200);
    }
    const refused = await browser.post('/api/auth/resend-verification');
    expect([refusalOf(refused), refused.headers.get('retry-after')]).toEqual(['RATE_LIMITED', '3600']);
    clock.advance(hour);
    await browser.post('/api/auth/refresh');
    expect((await browser.post('/api/auth/resend-verification')).status).toBe(200);
    await server.auth.drain();
    expect(mails).toHaveLength(1);
  });

  it("reads the caller's session row, so that a revoked session sends nothing", async () => {
    const { server, browser, mails } = await signUp({ engine });
    const { sid } = readToken(browser.cookies.get('app.sid')!).payload;
    vi.spyOn(server.auth.dependencies.sessions.revokedSessions, 'has').mockReturnValue(false);
    await server.stores.sessions.revoke(sid as never);
    expect(refusalOf(await browser.post('/api/auth/resend-verification'))).toBe('UNAUTHENTICATED');
    await server.auth.drain();
    expect(mails).toHaveLength(1);
  });

  it('refuses a token of the other kind', async () => {
    const { client, mails, server, token, verify } = await signUp({ engine });
    await client().post('/api/auth/forgot-password', { email: ada.email });
    await server.auth.drain();
    const reset = mails.find(({ kind }) => kind === 'reset')!.token;
    expect(refusalOf(await verify(reset))).toBe('TOKEN_INVALID');
    const input = { token: await token(), password: 'another horse battery' };
    expect(refusalOf(await client().post('/api/auth/reset-password', input))).toBe('TOKEN_INVALID');
  });

  it('invalidates a token if the address changes', async () => {
    const { server, token, verify, isVerified } = await signUp({ engine });
    const sent = await token();
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.stores.users.claimEmail(id, 'other@example.com');
    expect(refusalOf(await verify(sent))).toBe('TOKEN_INVALID');
    await server.stores.users.claimEmail(id, ada.email);
    expect(await isVerified()).toBe(true);
  });

  it('ignores the token of a disabled user', async () => {
    const { server, token, verify } = await signUp({ engine });
    const sent = await token();
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.auth.admin.disableUser(id);
    expect(refusalOf(await verify(sent))).toBe('TOKEN_INVALID');
    expect((await server.stores.users.findById(id))?.emailVerified).toBe(false);
  });
});

it('has no routes for e-mail verification if it is off, and trusts the address of a sign-up', async () => {
  const { client } = await createTestServer();
  const browser = client();
  expect((await browser.post('/api/auth/signup', ada)).body.user.emailVerified).toBe(true);
  for (const path of ['verify-email', 'resend-verification', 'change-email', 'forgot-password', 'reset-password']) {
    expect(refusalOf(await browser.post(`/api/auth/${path}`, {}))).toBe('NOT_FOUND');
  }
});

it('asks those to verify who signed up before it was on', async () => {
  const database = createTestDatabase('memory');
  const before = await createTestServer({ database });
  await before.client().post('/api/auth/signup', ada);
  const tokens: string[] = [];
  const emailVerification = { enabled: true, onSend: (_: unknown, token: string) => void tokens.push(token) };
  const after = await createTestServer({ database, auth: { emailVerification } });
  const browser = after.client();
  expect((await browser.post('/api/auth/signin', ada)).body.user.emailVerified).toBe(false);
  expect((await browser.post('/api/auth/resend-verification')).status).toBe(200);
  await expect.poll(() => tokens.length).toBe(1);
  expect((await browser.post('/api/auth/verify-email', { token: tokens[0] })).status).toBe(200);
  expect((await browser.post('/api/auth/signin', ada)).body.user.emailVerified).toBe(true);
});

it('does not change the response if a mail cannot be sent, and logs that without the token', async () => {
  const lines: object[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error: (fields: object) => void lines.push(fields) };
  const sent: string[] = [];
  const onSend = (_: unknown, token: string): never => {
    sent.push(token);
    throw new Error('the mail server is away');
  };
  const { server, client } = await createTestServer({ logger, auth: { emailVerification: { enabled: true, onSend } } });
  expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
  await server.auth.drain();
  expect(lines).toMatchObject([{ mail: 'email_verification', err: { message: 'the mail server is away' } }]);
  expect(JSON.stringify(lines)).not.toContain(sent[0]);
});

it('stores only the hash of a mailed token', async () => {
  const { server, token } = await signUp({});
  const sent = await token();
  const found = await server.stores.emailVerifications.find(sent);
  expect(found).toBeNull();
});
