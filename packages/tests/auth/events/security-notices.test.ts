import type { AuthOptions, NoticedChange, SecurityNotice } from '@x/auth';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol, type SecondFactor } from '../../support/second-factor.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { createTestDatabase, engines, type TestServerOptions } from '../../support/test-server.ts';
import { totpCode } from '../../support/totp-code.ts';

const next = 'another horse battery';
const adaAtGoogle = { sub: 'g-1', email: ada.email, email_verified: true };
const adaAtGithub = { id: 1, email: 'ada@work.example.com' };

/** A server, and all notices that it has sent. */
async function startServer(
  engine: (typeof engines)[number] = 'memory',
  settings: Partial<AuthOptions> = {},
  options: Pick<TestServerOptions, 'logger'> = {},
) {
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const mailbox = createMailbox();
  const notices: SecurityNotice[] = [];
  const onSecurityNotice = (notice: SecurityNotice): void => void notices.push(notice);
  const auth = { ...mailbox.auth, ...providersOf(fake), onSecurityNotice, ...settings };
  const test = await createMfaServer({ ...options, database, auth });
  const sentNotices = async (): Promise<readonly string[]> => {
    await test.server.auth.drain();
    return notices.map(({ change, user }) => `${change} to ${user.email}`);
  };
  const link = async (browser: TestClient, provider: string, person: object): Promise<string> => {
    const { url } = (await browser.post(`/api/auth/oauth/${provider}/link`)).body as unknown as { url: string };
    return locationOf(await browser.get(fake.consent(url, { ...person })));
  };
  return { ...test, fake, mailbox, notices, sentNotices, link };
}

type World = Awaited<ReturnType<typeof startServer>>;

/** Signs ada up, and has her address verified. */
async function signUp(world: World): Promise<TestClient> {
  const browser = world.client();
  await browser.post('/api/auth/signup', ada);
  await verify(world, ada.email);
  return browser;
}

async function verify({ client, mailbox, ...test }: World, email: string): Promise<TestResponse> {
  const token = await mailbox.lastToken(test, 'verification', email);
  return client().post('/api/auth/verify-email', { token, password: ada.password });
}

/** Signs ada up, with a second factor. */
async function enrolVerified(world: World): Promise<SecondFactor> {
  const factor = await enrol(world);
  await verify(world, ada.email);
  return factor;
}

async function reset(world: World): Promise<number> {
  await world.client().post('/api/auth/forgot-password', { email: ada.email });
  const token = await world.mailbox.lastToken(world, 'reset', ada.email);
  return (await world.client().post('/api/auth/reset-password', { token, password: next })).status;
}

/** How a change is made: everything before it, and the step itself, which returns its status. */
interface Change {
  readonly prepare: (world: World) => Promise<() => Promise<number>>;
  /** The expected notices, if it is not the change alone. */
  readonly notices?: readonly NoticedChange[];
}

const changes: Readonly<Record<NoticedChange, Change>> = {
  'password.changed': {
    async prepare(world) {
      const browser = await signUp(world);
      const change = { currentPassword: ada.password, newPassword: next };
      return async () => (await browser.post('/api/auth/change-password', change)).status;
    },
  },
  'password.reset': {
    async prepare(world) {
      await signUp(world);
      return () => reset(world);
    },
  },
  'email_change.requested': {
    async prepare(world) {
      const browser = await signUp(world);
      return async () => (await browser.post('/api/auth/change-email', { email: 'new@example.com' })).status;
    },
  },
  'email.changed': {
    async prepare(world) {
      const browser = await signUp(world);
      await browser.post('/api/auth/change-email', { email: 'new@example.com' });
      return async () => (await verify(world, 'new@example.com')).status;
    },
  },
  'mfa.enabled': {
    async prepare(world) {
      const browser = await signUp(world);
      const { secret } = (await browser.post('/api/auth/mfa/setup')).body;
      const code = totpCode(secret, world.clock.now());
      return async () => (await browser.post('/api/auth/mfa/verify-setup', { code })).status;
    },
  },
  'mfa.disabled': {
    async prepare(world) {
      const { browser, nextCode } = await enrolVerified(world);
      return async () => (await browser.post('/api/auth/mfa/disable', { code: nextCode() })).status;
    },
  },
  'mfa.backup_codes_replaced': {
    async prepare(world) {
      const { browser, nextCode } = await enrolVerified(world);
      return async () => (await browser.post('/api/auth/mfa/backup-codes', { code: nextCode() })).status;
    },
  },
  'mfa.locked': {
    async prepare(world) {
      const { browser, userId, wrongCode } = await enrolVerified(world);
      const { mfa } = world.server.stores;
      for (let count = 0; count < 99; count += 1) await mfa.countWrongCode(userId as UserId);
      return async () => {
        expect(refusalOf(await browser.post('/api/auth/mfa/step-up', { code: wrongCode() }))).toBe('MFA_INVALID_CODE');
        // The codes after it are refused, too, and nothing more is sent.
        return (await browser.post('/api/auth/mfa/step-up', { code: wrongCode() })).status - 200;
      };
    },
  },
  'oauth_account.linked': {
    async prepare(world) {
      const browser = await signUp(world);
      return async () => ((await world.link(browser, 'github', adaAtGithub)) === '/' ? 200 : 0);
    },
  },
  'oauth_account.unlinked': {
    async prepare(world) {
      const browser = await signUp(world);
      await world.link(browser, 'github', adaAtGithub);
      return async () => (await browser.send('/api/auth/oauth-accounts/github', { method: 'DELETE' })).status;
    },
  },
  'account.reclaimed': {
    notices: ['account.reclaimed', 'password.reset'],
    async prepare(world) {
      await enrol(world);
      return () => reset(world);
    },
  },
};

describe.each(engines)('on %s, the owner of an account', (engine) => {
  it.each(Object.keys(changes) as NoticedChange[])(
    'gets one notice of %s, at the address from before',
    async (change) => {
      const world = await startServer(engine);
      const { prepare, notices: expected = [change] } = changes[change];
      const step = await prepare(world);
      await world.sentNotices();
      world.notices.length = 0;
      expect(await step()).toBe(200);
      expect(await world.sentNotices()).toEqual(expected.map((each) => `${each} to ${ada.email}`));
      const { user, event } = world.notices.find((notice) => notice.change === change)!;
      const logged = await world.server.stores.events.listByUser(user.id as UserId, { limit: 100, after: null });
      expect(logged.items.filter(({ type }) => type === change)).toEqual([event]);
    },
  );

  it('gets the notice of a change at the address from before, even if that changes right after', async () => {
    const world = await startServer(engine);
    const browser = await signUp(world);
    await browser.post('/api/auth/change-email', { email: 'new@example.com' });
    const token = await world.mailbox.lastToken(world, 'verification', 'new@example.com');
    await world.link(browser, 'github', adaAtGithub);
    await browser.post('/api/auth/verify-email', { token });
    await browser.post('/api/auth/refresh');
    await world.link(browser, 'discord', { ...adaAtGithub, id: '1' });
    expect(await world.sentNotices()).toEqual([
      `email_change.requested to ${ada.email}`,
      `oauth_account.linked to ${ada.email}`,
      `email.changed to ${ada.email}`,
      'oauth_account.linked to new@example.com',
    ]);
  });

  it('gets a notice of an identity that a trusted provider links, and of an account that it reclaims', async () => {
    const world = await startServer(engine);
    await signUp(world);
    expect(locationOf(await signInBy({ client: world.client(), fake: world.fake }, 'google', adaAtGoogle))).toBe('/');
    expect(await world.sentNotices()).toEqual([`oauth_account.linked to ${ada.email}`]);
    const squatted = await startServer(engine);
    await squatted.client().post('/api/auth/signup', ada);
    await signInBy({ client: squatted.client(), fake: squatted.fake }, 'google', adaAtGoogle);
    expect(await squatted.sentNotices()).toEqual([
      `account.reclaimed to ${ada.email}`,
      `oauth_account.linked to ${ada.email}`,
    ]);
  });

  it('gets a notice of a second factor that an operator removes', async () => {
    const world = await startServer(engine);
    const { userId } = await enrolVerified(world);
    await world.sentNotices();
    world.notices.length = 0;
    expect(await world.server.auth.admin.removeMfa(userId)).toMatchObject({ ok: true });
    expect(await world.server.auth.admin.removeMfa(userId)).toMatchObject({ error: { code: 'MFA_NOT_ENABLED' } });
    expect(await world.sentNotices()).toEqual([`mfa.disabled to ${ada.email}`]);
  });

  it('gets no notice of a change that was refused', async () => {
    const world = await startServer(engine);
    const { client, clock, fake } = world;
    const other = client();
    await signInBy({ client: other, fake }, 'github', adaAtGithub);
    const { browser, wrongCode, nextCode } = await enrolVerified(world);
    await browser.post('/api/auth/confirm', { code: nextCode() });
    await world.sentNotices();
    world.notices.length = 0;
    expect(await world.link(browser, 'github', adaAtGithub)).toContain('account_already_linked');
    const attempts: readonly (readonly [path: string, body: object | undefined, code: string])[] = [
      ['change-password', { currentPassword: next, newPassword: next }, 'INVALID_CREDENTIALS'],
      ['change-password', { currentPassword: ada.password, newPassword: 'short' }, 'VALIDATION_FAILED'],
      ['change-email', { email: 'new@example.com', code: wrongCode() }, 'MFA_INVALID_CODE'],
      ['change-email', { email: 'no address' }, 'VALIDATION_FAILED'],
      ['mfa/setup', undefined, 'MFA_ALREADY_ENABLED'],
      ['mfa/verify-setup', { code: wrongCode() }, 'MFA_NOT_ENABLED'],
      ['mfa/disable', { code: wrongCode() }, 'MFA_INVALID_CODE'],
      ['mfa/backup-codes', { code: wrongCode() }, 'MFA_INVALID_CODE'],
      ['reset-password', { token: 'x', password: next }, 'TOKEN_INVALID'],
      ['verify-email', { token: 'x' }, 'TOKEN_INVALID'],
    ];
    for (const [path, body, code] of attempts) {
      expect([path, refusalOf(await browser.post(`/api/auth/${path}`, body))]).toEqual([path, code]);
    }
    clock.advance(300_001);
    for (const [path, body] of [
      ['change-email', { email: 'new@example.com' }],
      ['oauth/discord/link', {}],
      ['mfa/setup', undefined],
    ] as const) {
      expect([path, refusalOf(await browser.post(`/api/auth/${path}`, body))]).toEqual([path, 'STEP_UP_REQUIRED']);
    }
    const unlinked = await browser.send('/api/auth/oauth-accounts/github', { method: 'DELETE' });
    expect(refusalOf(unlinked)).toBe('STEP_UP_REQUIRED');
    expect(await world.sentNotices()).toEqual([]);
  });

  it('gets no notice of a change that was rolled back', async () => {
    let fails = false;
    const world = await startServer(engine, { onEmailProven: () => (fails ? faulty() : undefined) });
    const browser = await signUp(world);
    await world.sentNotices();
    world.notices.length = 0;
    await browser.post('/api/auth/change-email', { email: 'new@example.com' });
    fails = true;
    expect((await verify(world, 'new@example.com')).status).toBe(500);
    expect(await world.sentNotices()).toEqual([`email_change.requested to ${ada.email}`]);
  });

  it('gets one notice of a reclaim that is tried again', async () => {
    const world = await startServer(engine, { onAccountReclaimed: faulty });
    await world.client().post('/api/auth/signup', ada);
    expect(await reset(world)).toBe(500);
    expect(locationOf(await signInBy({ client: world.client(), fake: world.fake }, 'google', adaAtGoogle))).toContain(
      'user_setup_failed',
    );
    expect(await world.sentNotices()).toEqual([`account.reclaimed to ${ada.email}`]);
  });
});

function faulty(): never {
  throw new Error('no');
}

it('sends no notice for a request that changes no account', async () => {
  const world = await startServer();
  const { client, fake } = world;
  const browser = client();
  // A new user knows what they signed up with.
  await signInBy({ client: browser, fake }, 'github', adaAtGithub);
  await signInBy({ client: browser, fake }, 'github', adaAtGithub);
  await signInBy({ client: client(), fake }, 'google', { ...adaAtGoogle, email: 'other@example.com' });
  const other = await signUp(world);
  await other.post('/api/auth/confirm', { password: ada.password });
  await other.post('/api/auth/mfa/setup');
  await other.post('/api/auth/change-email', { email: ada.email });
  await other.post('/api/auth/refresh');
  await client().post('/api/auth/signin', ada);
  await client().post('/api/auth/forgot-password', { email: ada.email });
  await other.send('/api/auth/sessions', { method: 'DELETE' });
  await other.post('/api/auth/signout');
  expect(await world.sentNotices()).toEqual([]);
});

it('neither waits for a notice nor reveals that one could not be sent', async () => {
  const { logger, lines } = recordingLogger();
  const sending = Promise.withResolvers<void>();
  const attempts = [() => Promise.reject(new Error('no')), () => sending.promise];
  const world = await startServer('memory', { onSecurityNotice: () => attempts.shift()?.() }, { logger });
  const browser = await signUp(world);
  const change = { currentPassword: ada.password, newPassword: next };
  expect((await browser.post('/api/auth/change-password', change)).status).toBe(200);
  await world.server.auth.drain();
  expect(lines.filter(({ level }) => level === 'error')).toMatchObject([{ fields: { mail: 'security_notice' } }]);
  const back = { currentPassword: next, newPassword: ada.password };
  expect((await browser.post('/api/auth/change-password', back)).status).toBe(200);
  sending.resolve();
});
