import { type AuthOptions, discordProvider, githubProvider, googleProvider, oidcProvider } from '@x/auth';
import type { ProviderProfile, ProviderSettings } from '@x/auth';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type FakeProvider, type Person, startFakeProvider } from '../../support/fake-provider.ts';
import { locationOf, providersOf, signInBy } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createTestDatabase, createTestServer, engines, type TestServer } from '../../support/test-server.ts';

const userFields = {
  displayName: { schema: z.string().max(20) },
  picture: { schema: z.url().optional() },
  company: { schema: z.string(), update: true },
  plan: { schema: z.enum(['free', 'paid']).default('free') },
};

type MapProfile = NonNullable<ProviderSettings['mapProfile']>;

interface Test extends TestServer {
  readonly fake: FakeProvider;
}

/** Starts a server whose providers all map profiles in the same way. */
async function start(
  mapProfile: MapProfile,
  { engine = 'memory', ...rest }: { readonly engine?: (typeof engines)[number] } & Partial<AuthOptions> = {},
): Promise<Test> {
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const settings = { ...fake.settings, mapProfile };
  const { issuer, clientId, clientSecret } = settings;
  const providers = [
    googleProvider(settings),
    githubProvider(settings),
    discordProvider(settings),
    oidcProvider({ id: 'company', issuer, clientId, clientSecret, mapProfile }),
  ];
  const test = await createTestServer({ database, auth: { ...providersOf(fake), providers, userFields, ...rest } });
  return { ...test, fake };
}

const email = 'ada@example.com';
const picture = 'https://pictures.example/ada.png';

/** One person as each provider describes them. */
const people: Readonly<Record<string, Person>> = {
  google: { sub: '1', email, email_verified: true, name: 'Ada Lovelace', picture },
  github: { id: 1, email, name: 'Ada Lovelace', login: 'ada', avatar_url: picture },
  discord: { id: '1', email, verified: true, global_name: 'Ada Lovelace', username: 'ada', avatar: 'a1' },
  company: { sub: '1', email, email_verified: true, name: 'Ada Lovelace', picture },
};

const byName: MapProfile = ({ name, picture: url }) => ({ displayName: name, picture: url ?? undefined });

const cases = engines.flatMap((engine) => Object.keys(people).map((provider) => ({ engine, provider })));

it.each(cases)(
  'fills the fields of a new user of $provider from their profile, on $engine',
  async ({ engine, provider }) => {
    const { server, client, fake } = await start(byName, { engine });
    const browser = client();
    expect(locationOf(await signInBy({ client: browser, fake }, provider, people[provider]!))).toBe('/');
    const { items } = await server.stores.users.list({ limit: 1, after: null });
    const expected = provider === 'discord' ? 'https://cdn.discordapp.com/avatars/1/a1.png' : picture;
    expect(items[0]?.fields).toEqual({ displayName: 'Ada Lovelace', picture: expected, plan: 'free' });
    const shown = { displayName: 'Ada Lovelace', picture: expected, plan: 'free', incomplete: ['company'] };
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: shown });
    const asked = await browser.send('/api/auth/user', { method: 'PATCH', body: { company: 'Engines' } });
    expect(asked.body.user).toMatchObject({ displayName: 'Ada Lovelace', company: 'Engines' });
    expect(asked.body.user).not.toHaveProperty('incomplete');
  },
);

describe('a profile', () => {
  it('has the claims of the provider about the person, with null for missing ones', async () => {
    const seen: ProviderProfile[] = [];
    const { client, fake } = await start((profile) => {
      seen.push(profile);
      return {};
    });
    await signInBy({ client: client(), fake }, 'google', { sub: '1', email, locale: 'en' });
    await signInBy({ client: client(), fake }, 'github', { id: 2, email, login: 'ada' });
    await signInBy({ client: client(), fake }, 'discord', { id: '3', email });
    expect(seen).toMatchObject([
      { providerId: '1', email, isEmailVerified: false, name: null, picture: null, raw: { sub: '1', locale: 'en' } },
      { providerId: '2', email, isEmailVerified: false, name: 'ada', picture: null, raw: { id: 2, login: 'ada' } },
      { providerId: '3', email, isEmailVerified: false, name: null, picture: null, raw: { id: '3' } },
    ]);
  });

  it.each([{ name: 7, picture: ['x'] }, { name: '', picture: 'javascript:alert(1)' }, { picture: 'data:text/html,x' }])(
    'with %j does not keep a user from signing in, and has none of it',
    async (junk) => {
      const seen: ProviderProfile[] = [];
      const { client, fake } = await start((profile) => {
        seen.push(profile);
        return {};
      });
      const person = { sub: '1', email, email_verified: true, ...junk };
      expect(locationOf(await signInBy({ client: client(), fake }, 'google', person))).toBe('/');
      expect(seen).toMatchObject([{ name: null, picture: null }]);
    },
  );

  it('is mapped once, when the account is created, and not when its user comes back', async () => {
    let calls = 0;
    const { server, client, fake } = await start(() => ({ displayName: `Ada ${(calls += 1)}` }));
    for (let count = 0; count < 3; count++) await signInBy({ client: client(), fake }, 'google', people['google']!);
    expect(calls).toBe(1);
    expect((await server.stores.users.findByLoginEmail(email))?.fields).toMatchObject({ displayName: 'Ada 1' });
  });

  it.each([
    ['too long for its field', { displayName: 'x'.repeat(21), company: 'Engines' }],
    ['of another type', { displayName: 1, company: 'Engines' }],
    ['impossible to store', { displayName: 'a\0b', company: 'Engines' }],
    ['too large for a JWT', { picture: `https://example.com/${'x'.repeat(1024)}`, company: 'Engines' }],
  ])('leaves out a value that is %s, and keeps the others', async (_title, mapped) => {
    const { server, client, fake } = await start(() => mapped);
    expect(locationOf(await signInBy({ client: client(), fake }, 'google', people['google']!))).toBe('/');
    const user = await server.stores.users.findByLoginEmail(email);
    expect(user?.fields).toEqual({ company: 'Engines', plan: 'free' });
  });

  it('gives the hooks of a sign-up the fields', async () => {
    const seen: unknown[] = [];
    const { client, fake } = await start(byName, {
      beforeSignUp: ({ fields }) => void seen.push(fields['displayName']),
      onUserCreated: ({ user }) => void seen.push((user as { displayName?: string }).displayName, user.incomplete),
    });
    await signInBy({ client: client(), fake }, 'google', people['google']!);
    expect(seen).toEqual(['Ada Lovelace', 'Ada Lovelace', ['company']]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no such thing')), /no such thing/],
    ['gives a field that is not declared', () => ({ dispalyName: 'Ada' }), /dispalyName/],
  ])('ends the sign-in without an account if mapping it %s', async (_title, mapProfile, cause) => {
    const { logger, lines } = recordingLogger();
    const database = createTestDatabase('memory');
    const fake = await startFakeProvider(() => database.clock.now());
    const providers = [googleProvider({ ...fake.settings, mapProfile })];
    const auth = { ...providersOf(fake), providers, userFields };
    const { server, client } = await createTestServer({ database, logger, auth });
    const failed = await signInBy({ client: client(), fake }, 'google', people['google']!);
    expect(locationOf(failed)).toBe('/auth/error?error=user_setup_failed');
    expect(JSON.stringify(lines)).toMatch(cause);
    expect(await server.stores.users.findByLoginEmail(email)).toBeNull();
  });
});
