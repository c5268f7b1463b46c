import type { AuthOptions, User } from '@x/auth';
import { CodedError } from '@x/errors';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol, submitCode } from '../../support/second-factor.ts';
import { createTestDatabase, engines } from '../../support/test-server.ts';

const password = 'another horse battery';
const squatterAtGithub = { id: 666, email: 'squatter@example.com' };
const adaAtGoogle = { sub: 'g-1', email: ada.email, email_verified: true };

/** An account with an address that was never proven, and with everything that its holder can set up to stay in. */
async function squat(engine: (typeof engines)[number], settings: Partial<AuthOptions> = {}) {
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const mailbox = createMailbox();
  const reclaimed: User[] = [];
  const auth: Partial<AuthOptions> = {
    ...{ ...mailbox.auth, ...providersOf(fake) },
    onAccountReclaimed: (user) => void reclaimed.push(user),
    ...settings,
  };
  const test = await createMfaServer({ database, auth });
  const { server, client } = test;
  const factor = await enrol(test);
  const { browser: squatter, userId, nextCode } = factor;
  await squatter.post('/api/auth/confirm', { code: nextCode() });
  const { url } = (await squatter.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
  expect(locationOf(await squatter.get(fake.consent(url, squatterAtGithub)))).toBe('/');
  const waiting = await factor.challenged();
  const { stores } = server;
  const id = userId as UserId;
  return {
    ...{ ...test, ...factor, fake, mailbox, squatter, waiting, reclaimed },
    /** Asks for a token, and returns it. */
    async forgot() {
      await client().post('/api/auth/forgot-password', { email: ada.email });
      return mailbox.lastToken(test, 'reset', ada.email);
    },
    reset: (token: string) => client().post('/api/auth/reset-password', { token, password }),
    signIn: () => client().post('/api/auth/signin', { email: ada.email, password }),
    signInByGithub: async () => locationOf(await signInBy({ client: client(), fake }, 'github', squatterAtGithub)),
    /** Reads the means to sign in, the number of sessions, and the user. */
    async state() {
      return {
        links: (await stores.oauthAccounts.list(id)).map(({ provider }) => provider),
        hasFactor: (await stores.mfa.find(id)) !== null,
        sessions: await stores.sessions.countActive(id),
        user: await stores.users.findById(id),
      };
    },
    logged: async () =>
      (await stores.events.listByUser(id, { limit: 100, after: null })).items.filter(
        ({ type }) => type === 'account.reclaimed',
      ),
  };
}

describe.each(engines)('on %s, a password reset', (engine) => {
  it('leaves a squatter nothing of an account whose address was never proven', async () => {
    const test = await squat(engine);
    const { squatter, waiting, client, mailbox, reclaimed } = test;
    await squatter.post('/api/auth/confirm', { code: test.nextCode() });
    await squatter.post('/api/auth/change-email', { email: 'squatter@example.com' });
    const change = await mailbox.lastToken(test, 'verification', 'squatter@example.com');

    expect((await test.reset(await test.forgot())).status).toBe(200);

    expect(await test.state()).toMatchObject({ links: [], hasFactor: false, sessions: 0 });
    expect((await squatter.post('/api/auth/refresh')).status).toBe(401);
    expect(refusalOf(await submitCode(waiting, test.nextCode()))).toBe('SESSION_EXPIRED');
    expect(refusalOf(await client().post('/api/auth/verify-email', { token: change }))).toBe('TOKEN_INVALID');
    await test.signInByGithub();
    expect((await test.state()).sessions).toBe(0);
    expect((await test.signIn()).status).toBe(200);
    expect(reclaimed).toMatchObject([{ id: test.userId, email: ada.email, emailVerified: true }]);
    expect(await test.logged()).toMatchObject([
      { detail: { hadPassword: true, hadSecondFactor: true, unlinked: ['github'] } },
    ]);
  });

  it('removes a second factor of such an account that still awaits its first code', async () => {
    const test = await squat(engine);
    const { squatter, server } = test;
    await squatter.post('/api/auth/mfa/disable', { code: test.nextCode() });
    const { secret } = (await squatter.post('/api/auth/mfa/setup')).body;
    expect(secret).toEqual(expect.any(String));
    expect(await server.stores.mfa.findPending(test.userId as UserId)).not.toBeNull();
    expect((await test.reset(await test.forgot())).status).toBe(200);
    expect(await server.stores.mfa.findPending(test.userId as UserId)).toBeNull();
  });

  it('keeps the second factor and the identities of an account whose address was proven', async () => {
    const test = await squat(engine);
    const token = await test.mailbox.lastToken(test, 'verification', ada.email);
    expect((await test.client().post('/api/auth/verify-email', { token, password: ada.password })).status).toBe(200);
    expect((await test.reset(await test.forgot())).status).toBe(200);
    expect(await test.state()).toMatchObject({ links: ['github'], hasFactor: true, sessions: 0 });
    expect(refusalOf(await test.signIn())).toBe('MFA_REQUIRED');
    expect([test.reclaimed, await test.logged()]).toEqual([[], []]);
  });

  it('names the identities in its mail that it keeps', async () => {
    const test = await squat(engine);
    const identities = async (): Promise<unknown> => {
      await test.forgot();
      return test.mailbox.mails.findLast(({ kind }) => kind === 'reset')?.identities;
    };
    expect(await identities()).toEqual([]);
    const token = await test.mailbox.lastToken(test, 'verification', ada.email);
    await test.client().post('/api/auth/verify-email', { token, password: ada.password });
    expect(await identities()).toEqual([{ provider: 'github', email: 'squatter@example.com' }]);
  });

  it('keeps the second factor where addresses are not verified, and removes identities and sessions', async () => {
    const test = await squat(engine, { emailVerification: { enabled: false } });
    expect((await test.reset(await test.forgot())).status).toBe(200);
    expect(await test.state()).toMatchObject({ links: [], hasFactor: true, sessions: 0 });
    expect(refusalOf(await test.signIn())).toBe('MFA_REQUIRED');
    expect([test.reclaimed, await test.logged()]).toEqual([[], []]);
  });

  it('leaves nothing to sign in with if the hook of a reclaimed account throws, and the token stays valid', async () => {
    const faults: Error[] = [new Error('no'), new CodedError('CONFLICT', 'no')];
    const onAccountReclaimed: AuthOptions['onAccountReclaimed'] = async (_, { batch }) => {
      await batch(({ stores }) => stores.counters.add('begun', 1));
      await batch(async ({ stores }) => {
        await stores.counters.add('finished', 1);
        const fault = faults.shift();
        if (fault !== undefined) throw fault;
      });
    };
    const test = await squat(engine, { onAccountReclaimed });
    const token = await test.forgot();
    expect((await test.reset(token)).status).toBe(500);
    const inert = { links: [], hasFactor: false, sessions: 0, user: { passwordHash: null, emailProvenAt: null } };
    expect(await test.state()).toMatchObject(inert);
    expect((await test.squatter.post('/api/auth/refresh')).status).toBe(401);
    expect((await test.client().post('/api/auth/signin', ada)).status).toBe(401);
    // The app's own refusals are not among the documented ones, so it is called in process.
    const refused = await test.server.auth.api.resetPassword({ token, password });
    expect(refused).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    expect(await test.state()).toMatchObject(inert);
    expect((await test.reset(token)).status).toBe(200);
    expect((await test.signIn()).status).toBe(200);
    const { counters } = test.server.stores;
    expect([await counters.read('begun'), await counters.read('finished')]).toEqual([3, 1]);
    expect(await test.logged()).toHaveLength(1);
  });

  it('goes on by pruning, and once, if it was left unfinished', async () => {
    let isBroken = true;
    const reclaimed: string[] = [];
    const test = await squat(engine, {
      onAccountReclaimed: ({ id }) => {
        if (isBroken) throw new Error('no');
        reclaimed.push(id);
      },
    });
    const token = await test.forgot();
    expect((await test.reset(token)).status).toBe(500);
    expect(await test.server.auth.prune()).toMatchObject({ accounts: 0 });
    expect(await test.state()).toMatchObject({ user: { unfinished: 'reclaim', emailProvenAt: null } });
    isBroken = false;
    expect(await test.server.auth.prune()).toMatchObject({ accounts: 1 });
    expect(await test.state()).toMatchObject({ user: { unfinished: null, passwordHash: null } });
    expect((await test.reset(token)).status).toBe(200);
    expect((await test.signIn()).status).toBe(200);
    expect(reclaimed).toEqual([test.userId]);
    expect(await test.server.auth.prune()).toMatchObject({ accounts: 0 });
  });

  it('runs no batch any more once another process has finished', async () => {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    let runs = 0;
    const test = await squat(engine, {
      async onAccountReclaimed(_, { batch }) {
        runs += 1;
        if (runs > 1) return;
        reached.resolve();
        await released.promise;
        await batch(({ stores }) => stores.counters.add('late', 1));
      },
    });
    const token = await test.forgot();
    const slow = test.reset(token);
    await reached.promise;
    expect((await test.reset(token)).status).toBe(200);
    released.resolve();
    expect(refusalOf(await slow)).toBe('TOKEN_INVALID');
    expect(await test.server.stores.counters.read('late')).toBe(0);
    expect((await test.signIn()).status).toBe(200);
  });
});

describe.each(engines)('on %s, a sign-in by a trusted provider', (engine) => {
  it('reclaims an account in the same way, and calls the hook', async () => {
    const test = await squat(engine);
    const owner = test.client();
    expect(locationOf(await signInBy({ client: owner, fake: test.fake }, 'google', adaAtGoogle))).toBe('/');
    expect(await test.state()).toMatchObject({
      ...{ links: ['google'], hasFactor: false, sessions: 1 },
      user: { passwordHash: null, emailVerified: true },
    });
    expect(test.reclaimed).toMatchObject([{ id: test.userId, emailVerified: true }]);
    expect(await test.logged()).toMatchObject([
      { detail: { provider: 'google', hadPassword: true, hadSecondFactor: true, unlinked: ['github'] } },
    ]);
  });

  it('signs no user in if the hook throws, and the next one does', async () => {
    const faults = [new CodedError('CONFLICT', 'no')];
    const onAccountReclaimed = (): void => {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
    };
    const test = await squat(engine, { onAccountReclaimed });
    const owner = test.client();
    const signIn = async (): Promise<string | null> =>
      locationOf(await signInBy({ client: owner, fake: test.fake }, 'google', adaAtGoogle));
    expect(await signIn()).toContain('user_setup_failed');
    expect([...owner.cookies]).toEqual([]);
    expect(await test.state()).toMatchObject({ links: [], hasFactor: false, sessions: 0 });
    expect((await test.client().post('/api/auth/signin', ada)).status).toBe(401);
    expect(await signIn()).toBe('/');
    expect(await test.state()).toMatchObject({ links: ['google'], sessions: 1 });
    expect(await test.logged()).toHaveLength(1);
  });

  it('calls no hook for an account whose address was proven', async () => {
    const test = await squat(engine);
    const token = await test.mailbox.lastToken(test, 'verification', ada.email);
    await test.client().post('/api/auth/verify-email', { token, password: ada.password });
    expect(locationOf(await signInBy({ client: test.client(), fake: test.fake }, 'google', adaAtGoogle))).toBe('/mfa');
    expect(test.reclaimed).toEqual([]);
    expect(await test.state()).toMatchObject({ links: ['github', 'google'], hasFactor: true });
  });
});
