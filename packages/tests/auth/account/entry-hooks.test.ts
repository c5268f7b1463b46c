import type { AuthOptions } from '@x/auth';
import { CodedError } from '@x/errors';
import type { UserId } from '@x/store';
import { describe, expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import { startFakeProvider } from '../../support/fake-provider.ts';
import { createMailbox } from '../../support/mailbox.ts';
import { createOAuthServer, locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { createMfaServer, enrol, submitCode } from '../../support/second-factor.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const google = { sub: 'g-1', email: 'ada@example.com', email_verified: true };
const github = { id: 1, email: 'ada@example.com' };

type EntryHooks = Required<Pick<AuthOptions, 'beforeSignUp' | 'beforeSignIn' | 'afterSignIn'>>;

/** Hooks that write down when they ran, and for whom. */
function recordHooks(): { readonly hooks: EntryHooks; readonly ran: () => readonly string[] } {
  const ran: string[] = [];
  return {
    hooks: {
      beforeSignUp: ({ email, provider }) => void ran.push(`beforeSignUp ${email} ${provider}`),
      beforeSignIn: ({ user, provider }) => void ran.push(`beforeSignIn ${user.email} ${provider}`),
      afterSignIn: ({ user, provider, isNewUser }) =>
        void ran.push(`afterSignIn ${user.email} ${provider} ${isNewUser ? 'new' : 'known'}`),
    },
    ran: () => ran.splice(0),
  };
}

const refuse = (): never => {
  throw new CodedError('FORBIDDEN', 'By invitation only.', { reason: 'not_invited' });
};

const fail = (): never => {
  throw new Error('the app fails');
};

/** Reads the stored users and sessions of a server, to be compared. */
async function storedBy({ server: { stores } }: TestServer): Promise<unknown> {
  const { items } = await stores.users.list({ limit: 100, after: null });
  return Promise.all(items.map(async (user) => [user, await stores.sessions.listActive(user.id)]));
}

describe.each(engines)('entry hooks on %s', (engine) => {
  it('run once for each way in: before a sign-up or a sign-in, and after the session', async () => {
    const { hooks, ran } = recordHooks();
    const database = createTestDatabase(engine);
    const fake = await startFakeProvider(() => database.clock.now());
    const test = await createMfaServer({ database, auth: { ...providersOf(fake), ...hooks } });
    const { browser, nextCode, challenged } = await enrol(test);
    await test.server.auth.drain();
    expect(ran()).toEqual([`beforeSignUp ${ada.email} null`, `afterSignIn ${ada.email} null new`]);

    const other = await challenged();
    expect(ran()).toEqual([]);
    expect((await submitCode(other, nextCode())).status).toBe(200);
    await test.server.auth.drain();
    expect(ran()).toEqual([`beforeSignIn ${ada.email} null`, `afterSignIn ${ada.email} null known`]);

    await browser.post('/api/auth/confirm', { code: nextCode() });
    const { url } = (await browser.post('/api/auth/oauth/github/link')).body as unknown as { url: string };
    expect(locationOf(await browser.get(fake.consent(url, github)))).toBe('/');
    expect(ran()).toEqual([]);

    const byGithub = test.client();
    expect(locationOf(await signInBy({ client: byGithub, fake }, 'github', github))).toBe('/mfa');
    expect(ran()).toEqual([]);
    expect((await submitCode(byGithub, nextCode())).status).toBe(200);
    await test.server.auth.drain();
    expect(ran()).toEqual([`beforeSignIn ${ada.email} github`, `afterSignIn ${ada.email} github known`]);

    const eve = { sub: 'g-2', email: 'eve@example.com', email_verified: true };
    for (let i = 0; i < 2; i += 1) await signInBy({ client: test.client(), fake }, 'google', eve);
    await test.server.auth.drain();
    expect(ran()).toEqual([
      ...['beforeSignUp eve@example.com google', 'afterSignIn eve@example.com google new'],
      ...['beforeSignIn eve@example.com google', 'afterSignIn eve@example.com google known'],
    ]);
  });

  it('run neither for a refresh nor for credentials that are wrong', async () => {
    const { hooks, ran } = recordHooks();
    const { server, client } = await createTestServer({ engine, auth: hooks });
    const browser = client();
    await browser.post('/api/auth/signup', ada);
    await server.auth.drain();
    ran();
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
    expect(refusalOf(await client().post('/api/auth/signin', { ...ada, password: 'wrong horse' }))).toBe(
      'INVALID_CREDENTIALS',
    );
    await server.auth.admin.disableUser(await idOf(server));
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('INVALID_CREDENTIALS');
    await server.auth.drain();
    expect(ran()).toEqual([]);
  });

  it('refuse a sign-up with the reason of the app, whether or not the address has an account', async () => {
    const test = await createTestServer({ engine, auth: { beforeSignUp: refuse } });
    await addUser(test.server, { email: 'eve@example.com' });
    const before = await storedBy(test);
    for (const email of [ada.email, 'eve@example.com']) {
      const browser = test.client();
      const refused = await browser.post('/api/auth/signup', { ...ada, email });
      expect(refused.status).toBe(403);
      expect(refused.body.error).toEqual({
        code: 'FORBIDDEN',
        message: 'By invitation only.',
        reason: 'not_invited',
      });
      expect([...browser.cookies]).toEqual([]);
    }
    expect(await storedBy(test)).toEqual(before);
  });

  it('refuse a sign-in with the reason of the app, and log it', async () => {
    const test = await createTestServer({ engine, auth: { beforeSignIn: refuse } });
    const { client, server } = test;
    await client().post('/api/auth/signup', ada);
    const before = await storedBy(test);
    const browser = client();
    const refused = await browser.post('/api/auth/signin', ada);
    expect([refusalOf(refused), refused.body.error]).toMatchObject(['FORBIDDEN', { reason: 'not_invited' }]);
    expect([...browser.cookies]).toEqual([]);
    expect(await storedBy(test)).toEqual(before);
    const events = await server.auth.admin.listEvents({ userId: await idOf(server) });
    expect(events).toMatchObject({ value: { items: { length: 2 } } });
    expect(events.ok && events.value.items.find(({ type }) => type === 'sign_in.failed')?.detail).toEqual({
      refused: 'not_invited',
    });
  });

  it('refuse a sign-in after its second factor, whose code stays valid', async () => {
    let refuses = true;
    const beforeSignIn = (): void => (refuses ? refuse() : undefined);
    const test = await createMfaServer({ engine, auth: { beforeSignIn } });
    const { nextCode, challenged } = await enrol(test);
    const browser = await challenged();
    const code = nextCode();
    expect(refusalOf(await submitCode(browser, code))).toBe('FORBIDDEN');
    expect([...browser.cookies.keys()]).toEqual(['app.mfa']);
    refuses = false;
    expect((await submitCode(browser, code)).status).toBe(200);
  });

  it('refuse a sign-up and a sign-in by a provider on the error page, and store nothing', async () => {
    const oauth = await createOAuthServer({ engine, auth: { beforeSignUp: refuse, beforeSignIn: refuse } });
    const { server, fake, client } = oauth;
    const refused = '/auth/error?error=sign_in_refused&reason=not_invited';
    expect(locationOf(await signInBy({ client: client(), fake }, 'google', google))).toBe(refused);
    expect(await storedBy(oauth)).toEqual([]);
    expect(await server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();

    await addUser(server, { email: ada.email });
    const before = await storedBy(oauth);
    expect(locationOf(await signInBy({ client: client(), fake }, 'google', google))).toBe(refused);
    expect(await storedBy(oauth)).toEqual(before);
    expect(await server.stores.oauthAccounts.findUserId('google', 'g-1')).toBeNull();
  });

  it('that fail are opaque errors with a clear log, and leave nothing half done', async () => {
    const { logger, lines } = recordingLogger();
    let fails = true;
    const hook = (): void => (fails ? fail() : undefined);
    const oauth = await createOAuthServer({ engine, logger, auth: { beforeSignUp: hook, beforeSignIn: hook } });
    const { fake, client } = oauth;
    const failed = await client().post('/api/auth/signup', ada);
    expect(refusalOf(failed)).toBe('INTERNAL_ERROR');
    expect(failed.text).not.toContain('the app fails');
    expect(locationOf(await signInBy({ client: client(), fake }, 'google', google))).toBe(
      '/auth/error?error=user_setup_failed',
    );
    expect(await storedBy(oauth)).toEqual([]);
    fails = false;
    expect((await client().post('/api/auth/signup', ada)).status).toBe(201);
    const before = await storedBy(oauth);
    fails = true;
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('INTERNAL_ERROR');
    expect(await storedBy(oauth)).toEqual(before);
    const logged = lines
      .map(({ fields }) => fields['err'] ?? fields['cause'])
      .filter((cause) => cause !== undefined)
      .map(String);
    expect(logged).toEqual([
      'Error: The hook beforeSignUp failed: the app fails',
      'Error: The hook beforeSignUp failed: the app fails',
      'Error: The hook beforeSignIn failed: the app fails',
    ]);
  });

  it('pass on that a store is unavailable', async () => {
    const beforeSignIn = (): never => {
      throw new CodedError('SERVICE_UNAVAILABLE', 'Busy.', { retryAfter: 1 });
    };
    const { client } = await createTestServer({ engine, auth: { beforeSignIn } });
    await client().post('/api/auth/signup', ada);
    expect(refusalOf(await client().post('/api/auth/signin', ada))).toBe('SERVICE_UNAVAILABLE');
  });

  it('that fail after a sign-in are logged, and the session stays', async () => {
    const { logger, lines } = recordingLogger();
    const { server, client } = await createTestServer({ engine, logger, auth: { afterSignIn: fail } });
    const browser = client();
    expect((await browser.post('/api/auth/signup', ada)).status).toBe(201);
    await server.auth.drain();
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'the hook afterSignIn failed',
    ]);
    expect((await browser.post('/api/auth/refresh')).status).toBe(200);
  });

  it('guard a generic sign-up before its response, and start no session after it', async () => {
    const { hooks, ran } = recordHooks();
    const mailbox = createMailbox();
    const emailVerification = { enabled: true, genericSignUp: true, onSend: () => {} };
    const { server, client } = await createTestServer({
      engine,
      auth: { ...mailbox.auth, ...hooks, emailVerification },
    });
    expect((await client().post('/api/auth/signup', ada)).status).toBe(200);
    await server.auth.drain();
    expect(ran()).toEqual([`beforeSignUp ${ada.email} null`]);
  });
});

it('tells beforeSignUp who vouches for the address, and both hooks where the request comes from', async () => {
  const seen: unknown[] = [];
  const { fake, client } = await createOAuthServer({
    auth: {
      beforeSignUp: ({ isEmailProven, provider, fields }, { ipAddress, headers }) =>
        void seen.push([provider, isEmailProven, fields, ipAddress, headers.get('x-app-request')]),
      beforeSignIn: ({ user, provider }, { ipAddress }) => void seen.push([provider, user.email, ipAddress]),
    },
  });
  const browser = client('192.0.2.7');
  await signInBy({ client: browser, fake }, 'google', google);
  await signInBy({ client: browser, fake }, 'github', github);
  await browser.post('/api/auth/signup', { ...ada, email: 'eve@example.com' });
  await browser.post('/api/auth/signin', { ...ada, email: 'eve@example.com' });
  expect(seen).toEqual([
    ['google', true, {}, '192.0.2.7', '1'],
    ['github', false, {}, '192.0.2.7', '1'],
    [null, false, {}, '192.0.2.7', '1'],
    [null, 'eve@example.com', '192.0.2.7'],
  ]);
});

it('asks once however often a sign-in is planned again', async () => {
  const { hooks, ran } = recordHooks();
  const { server, fake, client } = await createOAuthServer({ engine: 'sqlite', auth: hooks });
  const browsers = Array.from({ length: 8 }, () => client());
  const done = await Promise.all(browsers.map((browser) => signInBy({ client: browser, fake }, 'google', google)));
  expect(done.map(locationOf)).toEqual(done.map(() => '/'));
  await server.auth.drain();
  const all = ran();
  expect(all.filter((each) => each.startsWith('afterSignIn'))).toHaveLength(8);
  expect(all.filter((each) => each.endsWith('new'))).toHaveLength(1);
  expect(all.filter((each) => each.startsWith('beforeSignUp')).length).toBeLessThanOrEqual(8);
  expect(all.filter((each) => each.startsWith('beforeSignIn'))).toHaveLength(7);
});

it('asks again if the sign-in is planned again for another user', async () => {
  const asked: string[] = [];
  const { server, fake, client } = await createOAuthServer({
    auth: {
      async beforeSignIn({ user }) {
        asked.push(user.email);
        if (user.email !== ada.email) refuse();
        // Meanwhile, the identity changes hands.
        await server.stores.oauthAccounts.removeAll(user.id as UserId);
        await server.stores.oauthAccounts.link({
          userId: eve.id,
          provider: 'google',
          providerId: google.sub,
          email: null,
        });
      },
    },
  });
  const eve = await addUser(server, { email: 'eve@example.com' });
  await signInBy({ client: client(), fake }, 'google', google);
  const refused = await signInBy({ client: client(), fake }, 'google', google);
  expect(locationOf(refused)).toContain('error=sign_in_refused');
  expect(asked).toEqual([ada.email, eve.email]);
  expect(await server.stores.sessions.listActive(eve.id)).toEqual([]);
});

async function idOf({ auth }: TestServer['server']): Promise<string> {
  const found = await auth.admin.findUser({ email: ada.email });
  return found.ok ? found.value.id : '';
}
