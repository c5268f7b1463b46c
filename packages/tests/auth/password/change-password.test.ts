import { createScryptHasher, type PasswordHasher } from '@x/auth';
import { CodedError } from '@x/errors';
import { describe, expect, it, vi } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient } from '../../support/test-client.ts';
import { createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const next = 'another horse battery';
const change = { currentPassword: ada.password, newPassword: next };
const path = '/api/auth/change-password';

async function signedIn(
  engine: (typeof engines)[number],
): Promise<TestServer & { readonly browsers: readonly TestClient[] }> {
  const test = await createTestServer({ engine, auth: createMailbox().auth });
  const browsers = [test.client(), test.client()];
  await browsers[0]!.post('/api/auth/signup', ada);
  await browsers[1]!.post('/api/auth/signin', ada);
  return { ...test, browsers };
}

describe.each(engines)(`POST ${path} on %s`, (engine) => {
  it('changes the password and ends the other sessions', async () => {
    const { client, browsers } = await signedIn(engine);
    const response = await browsers[0]!.post(path, change);
    expect([response.status, response.text, response.headers.getSetCookie()]).toEqual([200, '{"ok":true}', []]);
    expect((await browsers[0]!.post('/api/auth/refresh')).status).toBe(200);
    expect((await browsers[1]!.post('/api/auth/refresh')).status).toBe(401);
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('INVALID_CREDENTIALS');
    expect((await client().post('/api/auth/signin', { ...ada, password: next })).status).toBe(200);
  });

  it('keeps the other sessions if the request says so', async () => {
    const { browsers } = await signedIn(engine);
    expect((await browsers[0]!.post(path, { ...change, revokeOtherSessions: false })).status).toBe(200);
    expect((await browsers[1]!.post('/api/auth/refresh')).status).toBe(200);
  });

  it('requires a session, an exact shape, a good new password and the right current one', async () => {
    const { client, browsers } = await signedIn(engine);
    const codeOf = async (input: unknown): Promise<string> => refusalOf(await browsers[0]!.post(path, input));
    expect(refusalOf(await client().post(path, change))).toBe('UNAUTHENTICATED');
    expect(refusalOf(await client().post(path, {}))).toBe('UNAUTHENTICATED');
    for (const input of [
      {},
      { ...change, userId: 'x' },
      { ...change, revokeOtherSessions: 'no' },
      { ...change, newPassword: [next] },
    ]) {
      expect(await codeOf(input)).toBe('VALIDATION_FAILED');
    }
    expect(await codeOf({ ...change, newPassword: 'short' })).toBe('VALIDATION_FAILED');
    expect(await codeOf({ ...change, currentPassword: 'wrong horse battery' })).toBe('INVALID_CREDENTIALS');
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('reports the problem under newPassword if the new password is refused', async () => {
    const { browsers } = await signedIn(engine);
    const { body } = await browsers[0]!.post(path, { ...change, newPassword: 'password' });
    expect(body.error.issues).toMatchObject([{ path: ['newPassword'], code: 'too_common' }]);
  });

  it('limits password guesses in a stolen session to ten in a quarter of an hour', async () => {
    const { browsers, clock } = await signedIn(engine);
    const wrong = { ...change, currentPassword: 'wrong horse battery' };
    for (let count = 0; count < 10; count += 1) await browsers[0]!.post(path, wrong);
    expect(refusalOf(await browsers[0]!.post(path, change))).toBe('RATE_LIMITED');
    clock.advance(15 * 60_000);
    await browsers[0]!.post('/api/auth/refresh');
    expect((await browsers[0]!.post(path, change)).status).toBe(200);
  });

  it('counts neither right passwords nor new ones that are refused toward that limit', async () => {
    const { browsers } = await signedIn(engine);
    for (let count = 0; count < 12; count += 1) {
      expect(refusalOf(await browsers[0]!.post(path, { ...change, newPassword: 'short' }))).toBe('VALIDATION_FAILED');
      const same = { currentPassword: ada.password, newPassword: ada.password };
      expect((await browsers[0]!.post(path, same)).status).toBe(200);
    }
    expect((await browsers[0]!.post(path, change)).status).toBe(200);
  });

  it('counts no password toward that limit that could not be checked', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const health = { isAway: false };
    const verify: PasswordHasher['verify'] = (hash, password) =>
      health.isAway ? Promise.reject(new Error('away')) : hasher.verify(hash, password);
    const { client } = await createTestServer({ engine, auth: { passwordHasher: { ...hasher, verify } } });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    health.isAway = true;
    for (let count = 0; count < 12; count += 1) {
      expect(refusalOf(await browser.post(path, change))).toBe('INTERNAL_ERROR');
    }
    health.isAway = false;
    expect((await browser.post(path, change)).status).toBe(200);
  });

  it('requires the current password of an account that has one, even right after the sign-in', async () => {
    const { browsers } = await signedIn(engine);
    const refused = await browsers[0]!.post(path, { newPassword: next });
    expect([refusalOf(refused), refused.body.error.issues]).toMatchObject([
      'VALIDATION_FAILED',
      [{ path: ['currentPassword'], code: 'invalid_type' }],
    ]);
  });

  it('sets the first password of an account within 300 s of a proof, and only once', async () => {
    const { client, browsers, clock, server } = await signedIn(engine);
    const { id } = (await server.stores.users.findByLoginEmail(ada.email))!;
    await server.stores.users.setPassword(id, null);
    expect(refusalOf(await browsers[0]!.post(path, change)), 'there is none to be right').toBe('INVALID_CREDENTIALS');
    clock.advance(300_001);
    for (const browser of browsers) await browser.post('/api/auth/refresh');
    for (const newPassword of [next, 'short']) {
      const refused = await browsers[0]!.post(path, { newPassword });
      expect(refused.body.error).toMatchObject({ code: 'STEP_UP_REQUIRED', meta: { maxAge: 300, methods: [] } });
    }
    const { id: sid } = (await browsers[0]!.get('/api/auth/session')).body.session!;
    await server.stores.sessions.setAuthenticated(sid as never, 'provider');
    const answers = await Promise.all(
      [next, `${next}!`].map((newPassword) => browsers[0]!.post(path, { newPassword })),
    );
    const winner = answers[0]!.status === 200 ? next : `${next}!`;
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await client().post('/api/auth/signin', { ...ada, password: winner })).status).toBe(200);
    expect((await browsers[1]!.post('/api/auth/refresh')).status, 'other sessions end').toBe(401);
  });

  it("records in the owner's events that a caller did not know the password", async () => {
    const { browsers } = await signedIn(engine);
    await browsers[0]!.post(path, { ...change, currentPassword: 'wrong horse battery' });
    const { items } = (await browsers[1]!.get('/api/auth/events')).body;
    expect(items.filter(({ type }) => type === 'password.refused')).toHaveLength(1);
  });

  it("reads the caller's session row, so that a revoked session is refused", async () => {
    const { server, browsers } = await signedIn(engine);
    await browsers[1]!.send('/api/auth/sessions', { method: 'DELETE' });
    vi.spyOn(server.auth.dependencies.sessions.revokedSessions, 'has').mockReturnValue(false);
    expect(refusalOf(await browsers[0]!.post(path, change))).toBe('UNAUTHENTICATED');
  });

  it('changes nothing if the session ends while the password is hashed', async () => {
    const { server, client, browsers } = await signedIn(engine);
    const { hasher } = server.auth.dependencies.passwords;
    const hash = hasher.hash.bind(hasher);
    vi.spyOn(hasher, 'hash').mockImplementation(async (...args) => {
      await browsers[1]!.send('/api/auth/sessions', { method: 'DELETE' });
      return hash(...args);
    });
    expect(refusalOf(await browsers[0]!.post(path, change))).toBe('UNAUTHENTICATED');
    vi.restoreAllMocks();
    expect((await client().post('/api/auth/signin', ada)).status).toBe(200);
  });

  it('invalidates a token that was mailed to reset the password', async () => {
    const mailbox = createMailbox();
    const test = await createTestServer({ engine, auth: mailbox.auth });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    await test.client().post('/api/auth/forgot-password', { email: ada.email });
    const token = await mailbox.lastToken(test, 'reset', ada.email);
    await browser.post(path, change);
    const reset = await test.client().post('/api/auth/reset-password', { token, password: 'a third horse battery' });
    expect(refusalOf(reset)).toBe('TOKEN_INVALID');
  });

  it('cancels a pending change of the address, because its requester knew the old password', async () => {
    const mailbox = createMailbox();
    const test = await createTestServer({ engine, auth: mailbox.auth });
    const [owner, thief] = [test.client(), test.client()];
    await owner.post('/api/auth/signup', ada);
    await thief.post('/api/auth/signin', ada);
    await thief.post('/api/auth/change-email', { email: 'eve@example.com', password: ada.password });
    const token = await mailbox.lastToken(test, 'verification', 'eve@example.com');
    expect((await owner.post(path, change)).status).toBe(200);
    expect(refusalOf(await thief.post('/api/auth/verify-email', { token }))).toBe('TOKEN_INVALID');
    expect((await test.client().post('/api/auth/signin', { ...ada, password: next })).status).toBe(200);
  });

  it('counts no right password as a wrong one because the new one could not be hashed', async () => {
    const hasher = createScryptHasher({ ln: 1, r: 1, p: 1 });
    const auth = { ...createMailbox().auth, passwordHasher: hasher };
    const test = await createTestServer({ engine, auth, logger: false });
    const browser = test.client();
    await browser.post('/api/auth/signup', ada);
    // Verifies a password for the first time, which hashes the decoy.
    await browser.post('/api/auth/signin', ada);
    vi.spyOn(hasher, 'hash').mockImplementation(() => {
      throw new CodedError('SERVICE_UNAVAILABLE', 'Too many are waiting.');
    });
    for (let count = 0; count < 11; count += 1) {
      expect(refusalOf(await browser.post(path, change))).toBe('SERVICE_UNAVAILABLE');
    }
    vi.restoreAllMocks();
    expect((await browser.post(path, change)).status).toBe(200);
  });

  it('lets one of several concurrent changes win', async () => {
    const { client, browsers } = await signedIn(engine);
    const passwords = Array.from({ length: 8 }, (_, index) => `horse battery ${index} staple`);
    const responses = await Promise.all(
      passwords.map((newPassword) => browsers[0]!.post(path, { ...change, newPassword, revokeOtherSessions: false })),
    );
    const won = passwords.filter((_, index) => responses[index]!.status === 200);
    expect(won).toHaveLength(1);
    expect((await client().post('/api/auth/signin', { ...ada, password: won[0] })).status).toBe(200);
  });

  it('gives no password to an account without one', async () => {
    const test = await signedIn(engine);
    const { id } = await addUser(test.server, { email: 'oauth@example.com' });
    const { user } = (await test.browsers[0]!.get('/api/auth/session')).body.session as unknown as {
      user: { id: string };
    };
    expect(user.id).not.toBe(id);
    await test.server.stores.users.setPassword(user.id as never, null);
    expect(refusalOf(await test.browsers[0]!.post(path, change))).toBe('INVALID_CREDENTIALS');
  });
});
