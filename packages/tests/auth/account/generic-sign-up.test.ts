import { type AuthOptions, createScryptHasher } from '@x/auth';
import { CodedError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { createMailbox, type Mailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';
import { exchange, serve, encodeRequest } from '../../support/wire.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const eve = { ...ada, password: 'another horse battery' };
const unverified = { ...ada, email: 'unverified@example.com' };

/** Addresses to sign up with: a free one, and those of a verified, an unverified and a disabled account. */
const addresses = ['new@example.com', ada.email, unverified.email, 'disabled@example.com'];

interface Generic extends TestServer, Mailbox {
  /** The addresses of existing accounts that the app was notified about. */
  readonly notified: readonly string[];
}

async function start(engine: (typeof engines)[number], auth: Partial<AuthOptions> = {}): Promise<Generic> {
  const mailbox = createMailbox();
  const notified: string[] = [];
  const emailVerification = {
    ...mailbox.auth.emailVerification!,
    genericSignUp: true,
    onExistingSignUp: ({ email }: { readonly email: string }) => void notified.push(email),
  };
  const test = await createTestServer({ engine, auth: { ...mailbox.auth, emailVerification, ...auth } });
  return { ...test, ...mailbox, notified };
}

/** Fills the database with {@link addresses}, but for the first. */
async function addAccounts({ client, lastToken, mails, server }: Generic): Promise<void> {
  for (const email of addresses.slice(1)) await client().post('/api/auth/signup', { ...ada, email });
  const token = await lastToken({ server }, 'verification', ada.email);
  await client().post('/api/auth/verify-email', { token });
  await server.auth.admin.disableUser(mails.find(({ to }) => to === 'disabled@example.com')!.user.id);
}

describe.each(engines)('generic sign-up on %s', (engine) => {
  it('returns the same body and headers for a free and for a taken address', async () => {
    const test = await start(engine);
    await addAccounts(test);
    const port = await serve(test.server);
    const responses = [];
    for (const email of addresses) {
      const request = encodeRequest('POST /api/auth/signup', { body: JSON.stringify({ ...eve, email }) });
      const { status, text, headers } = await exchange(port, request);
      for (const name of ['x-request-id', 'date']) headers.delete(name);
      responses.push({ status, text, headers: [...headers] });
    }
    for (const response of responses) expect(response).toEqual(responses[0]);
    expect(responses[0]).toMatchObject({ status: 200, text: '{"ok":true}' });
    expect(responses[0]!.headers.map(([name]) => name)).not.toContain('set-cookie');
    await test.server.auth.drain();
    expect(test.notified).toEqual([ada.email, unverified.email]);
    expect(await test.server.auth.api.signUp({ ...eve, email: 'another@example.com' })).toEqual(
      await test.server.auth.api.signUp(eve),
    );
  });

  it('hashes once and takes the same steps before the response, and does the rest after it', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const hash = vi.fn<typeof hasher.hash>((password) => hasher.hash(password));
    const claims = vi.fn<() => object>(() => ({}));
    const test = await start(engine, { passwordHasher: { ...hasher, hash }, claims: claims as never });
    await addAccounts(test);
    const { stores } = test.server;
    const spies = [
      ...[hash, claims, vi.spyOn(stores.rateLimits, 'check'), vi.spyOn(stores.users, 'findByLoginEmail')],
      ...[vi.spyOn(stores.events, 'append'), vi.spyOn(stores, 'transaction')],
    ];
    for (const email of addresses) {
      for (const spy of spies) spy.mockClear();
      expect(await test.server.auth.api.signUp({ ...eve, email })).toMatchObject({ ok: true, value: null });
      expect(spies.map((spy) => spy.mock.calls.length)).toEqual([1, 0, 1, 0, 0, 0]);
      await test.server.auth.drain();
    }
  });

  it('allows no sign-in before the address is verified, and does not reveal the reason', async () => {
    const { client, lastToken, server } = await start(engine);
    await client().post('/api/auth/signup', ada);
    await server.auth.drain();
    const early = await client().post('/api/auth/signin', ada);
    const unknown = await client().post('/api/auth/signin', { ...ada, email: 'nobody@example.com' });
    expect([early.status, early.text, early.headers.getSetCookie()]).toEqual([401, unknown.text, []]);
    const user = (await server.stores.users.findByLoginEmail(ada.email))!;
    expect(await server.stores.sessions.countActive(user.id)).toBe(0);
    const token = await lastToken({ server }, 'verification', ada.email);
    expect((await client().post('/api/auth/verify-email', { token })).status).toBe(200);
    expect((await client().post('/api/auth/signin', ada)).body.user).toMatchObject({ emailVerified: true });
  });

  it('leaves an existing account unchanged, and notifies its owner', async () => {
    const test = await start(engine);
    await addAccounts(test);
    const before = await test.server.stores.users.findByLoginEmail(ada.email);
    const mailed = test.mails.length;
    await test.client().post('/api/auth/signup', { ...eve, email: ' ADA@example.com' });
    await test.server.auth.drain();
    expect(await test.server.stores.users.findByLoginEmail(ada.email)).toEqual(before);
    expect([test.notified, test.mails.length]).toEqual([[ada.email], mailed]);
    expect((await test.client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('commits user, verification and events together, or none of them', async () => {
    const onUserCreated = vi.fn<NonNullable<AuthOptions['onUserCreated']>>().mockImplementationOnce(() => {
      throw new CodedError('FORBIDDEN', 'By invitation only.');
    });
    const { client, mails, server } = await start(engine, { onUserCreated });
    expect((await client().post('/api/auth/signup', ada)).text).toBe('{"ok":true}');
    await server.auth.drain();
    expect([await server.stores.users.findByLoginEmail(ada.email), mails]).toEqual([null, []]);
    await client().post('/api/auth/signup', ada);
    await server.auth.drain();
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    const { items } = await server.stores.events.listByUser(id, { limit: 10, after: null });
    expect(items.map(({ type }) => type).toSorted()).toEqual(['email_verification.requested', 'user.created']);
    expect(mails.map(({ to }) => to)).toEqual([ada.email]);
  });

  it('creates one account for 20 concurrent sign-ups, and notifies its owner of the others', async () => {
    const { client, mails, server, notified } = await start(engine);
    const responses = await Promise.all(Array.from({ length: 20 }, () => client().post('/api/auth/signup', ada)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    await server.auth.drain();
    expect([mails.length, notified.length]).toEqual([1, 19]);
  });

  it('refuses an invalid shape, a weak password and too many attempts, as any sign-up does', async () => {
    const { client } = await start(engine, { emailPassword: { rateLimit: { maxAttempts: 2 } } });
    for (const input of [
      { ...ada, password: 'short' },
      { ...ada, email: 'none' },
    ]) {
      expect(refusalOf(await client().post('/api/auth/signup', input))).toBe('VALIDATION_FAILED');
    }
    await client().post('/api/auth/signup', ada);
    expect(refusalOf(await client().post('/api/auth/signup', ada))).toBe('RATE_LIMITED');
  });
});
