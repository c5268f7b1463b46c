import { githubProvider, microsoftProvider, type OAuthProvider, type ProviderSettings } from '@x/auth';
import { describe, expect, it } from 'vitest';
import {
  type FakeProvider,
  type Person,
  respondJson,
  type Responder,
  startFakeProvider,
} from '../../support/fake-provider.ts';
import { createOAuthServer, locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

type Engine = (typeof engines)[number];

interface Test extends TestServer {
  readonly fake: FakeProvider;
  /** Signs a person in from a new browser, and returns where that leads. */
  readonly signIn: (provider: string, person: Person) => Promise<string>;
  /** Returns the fields of the log line of the last sign-in that failed. */
  readonly lastFailure: () => Readonly<Record<string, unknown>> | undefined;
}

async function start(
  engine: Engine = 'memory',
  toProviders?: (fake: FakeProvider) => readonly OAuthProvider[],
): Promise<Test> {
  const { logger, lines } = recordingLogger();
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const own = toProviders && { auth: { ...providersOf(fake), providers: toProviders(fake) } };
  const test = own
    ? { ...(await createTestServer({ database, logger, ...own })), fake }
    : await createOAuthServer({ database, logger });
  return {
    ...test,
    signIn: async (provider, person) =>
      locationOf(await signInBy({ client: test.client(), fake: test.fake }, provider, person)),
    lastFailure: () => lines.findLast(({ message }) => message === 'a sign-in by a provider failed')?.fields,
  };
}

/** Ways in which a provider does not tell something. */
const refusals: Readonly<Record<string, Responder>> = {
  'status 403': (response) => respondJson(response, { message: 'Resource not accessible by integration' }, 403),
  'status 404': (response) => respondJson(response, { message: 'Not Found' }, 404),
  'an object': (response) => respondJson(response, { message: 'Requires authentication' }),
  'a list of something else': (response) => respondJson(response, ['eve@example.com']),
  HTML: (response) => void response.writeHead(200).end('<h1>Sign in</h1>'),
  'a closed connection': (response) => void response.destroy(),
};

const email_required = '/auth/error?error=email_required';

describe.each(engines)('a provider that does not tell the address, on %s', (engine) => {
  it('signs in those whose identity is linked, and asks others for an address', async () => {
    const test = await start(engine);
    const [linked, stranger] = [
      { id: 1, email: '' },
      { id: 2, email: '' },
    ];
    const emails = [{ email: 'ada@example.com', primary: true, verified: true }];
    expect(await test.signIn('github', { ...linked, emails })).toBe('/');
    for (const refusal of Object.values(refusals)) {
      test.fake.responders.set('/userinfo/emails', refusal);
      expect(await test.signIn('github', linked)).toBe('/');
      expect(await test.signIn('github', stranger)).toBe(email_required);
      expect(test.lastFailure()).toMatchObject({
        code: 'email_required',
        reason: expect.stringMatching(/"Email addresses".*user:email/),
        cause: expect.any(String),
      });
    }
    expect((await test.server.stores.users.list({ limit: 9, after: null })).items).toHaveLength(1);
  });
});

it('may refuse the user info, or tell it in another form', async () => {
  const test = await start();
  test.fake.idToken = ({ email: _, ...claims }) => claims;
  expect(await test.signIn('company', { sub: '1', email: 'ada@example.com' })).toBe('/');
  for (const refusal of Object.values(refusals)) {
    test.fake.responders.set('/userinfo', refusal);
    expect(await test.signIn('company', { sub: '1' })).toBe('/');
    expect(await test.signIn('company', { sub: '2' })).toBe(email_required);
    expect(test.lastFailure()).toMatchObject({ reason: expect.stringMatching(/userInfoUrl.*scopes/) });
  }
  test.fake.responders.set('/userinfo', (response) => respondJson(response, { sub: '3', email: 'eve@example.com' }));
  expect(await test.signIn('company', { sub: '1' }), 'the user info of another person').toContain('provider_error');
});

it('may tell an address that is no text', async () => {
  const test = await start();
  for (const [provider, id] of [
    ['google', 'sub'],
    ['github', 'id'],
    ['discord', 'id'],
  ] as const) {
    const person = { [id]: '7' };
    expect(await test.signIn(provider, { ...person, email: `${provider}@example.com` })).toBe('/');
    for (const email of [7, {}, ['a@example.com'], true]) {
      expect(await test.signIn(provider, { ...person, email })).toBe('/');
      expect(await test.signIn(provider, { [id]: '8', email })).toBe(email_required);
    }
  }
});

it('may be found without the optional parts of its configuration', async () => {
  const test = await start();
  test.fake.responders.set('/.well-known/openid-configuration', (response) =>
    respondJson(response, {
      issuer: test.fake.url,
      authorization_endpoint: `${test.fake.url}/authorize`,
      token_endpoint: `${test.fake.url}/token`,
      jwks_uri: `${test.fake.url}/jwks`,
      userinfo_endpoint: 'none',
      token_endpoint_auth_methods_supported: 'any',
    }),
  );
  expect(await test.signIn('company', { sub: '1', email: 'ada@example.com' })).toBe('/');
});

describe('Microsoft', () => {
  const tid = '9188040d-6c67-4c5b-b112-36a304b66dad';

  /** Starts a provider that leaves the address out of the ID token, as for accounts of organizations. */
  async function startMicrosoft(): Promise<Test> {
    const test = await start('memory', (fake) => [
      microsoftProvider({ ...fake.settings, issuer: `${fake.url}/{tenantid}/v2.0` }),
    ]);
    const iss = `${test.fake.url}/${tid}/v2.0`;
    test.fake.idToken = ({ email: _, ...claims }) => ({ ...claims, iss, tid });
    return test;
  }

  const emailsOf = async ({ server }: Test): Promise<readonly object[]> =>
    (await server.stores.users.list({ limit: 9, after: null })).items.map(({ email, loginEmail, emailVerified }) => ({
      email,
      loginEmail,
      emailVerified,
    }));

  it('is asked for the user info, and trusts none of it', async () => {
    const test = await startMicrosoft();
    const person = { sub: '1', email: 'ada@example.com', email_verified: true, preferred_username: 'ada@corp.example' };
    expect(await test.signIn('microsoft', person)).toBe('/');
    expect(await emailsOf(test)).toEqual([{ email: 'ada@example.com', loginEmail: null, emailVerified: false }]);
  });

  it.each(Object.keys(refusals))('gives the name that one signs in by where the user info is %s', async (name) => {
    const test = await startMicrosoft();
    test.fake.responders.set('/userinfo', refusals[name] ?? (() => {}));
    expect(await test.signIn('microsoft', { sub: '1', preferred_username: 'Ada@corp.example' })).toBe('/');
    expect(await emailsOf(test)).toEqual([{ email: 'ada@corp.example', loginEmail: null, emailVerified: false }]);
    for (const preferred_username of ['+43 1 234', '', 7, undefined]) {
      expect(await test.signIn('microsoft', { sub: '2', preferred_username })).toBe(email_required);
    }
  });
});

it('may be one of the app that reads the address as the documentation shows', async () => {
  const asDocumented = (settings: ProviderSettings): OAuthProvider => ({
    ...githubProvider(settings),
    id: 'gitea',
    async identify({ getJson, optional, endpoints: { userInfoUrl } }) {
      const { id } = (await getJson(`${userInfoUrl}`)) as { readonly id: number };
      const email = await optional(async () => {
        const [first] = (await getJson(`${userInfoUrl}/emails`)) as readonly { readonly email: string }[];
        return first?.email ?? null;
      }, 'it needs the scope read:user');
      return { providerId: String(id), email, isEmailVerified: false };
    },
  });
  const test = await start('memory', ({ settings }) => [asDocumented(settings)]);
  expect(await test.signIn('gitea', { id: 1, emails: [{ email: 'ada@example.com' }] })).toBe('/');
  expect(await test.signIn('gitea', { id: 1 })).toBe('/');
  expect(await test.signIn('gitea', { id: 2 })).toBe(email_required);
  expect(test.lastFailure()).toMatchObject({ reason: expect.stringContaining('it needs the scope read:user') });
});
