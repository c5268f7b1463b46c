import { googleProvider } from '@x/auth';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { addUser } from '../../support/add-user.ts';
import {
  respondJson,
  type Responder,
  type FakeProvider,
  type Person,
  signIdToken,
} from '../../support/fake-provider.ts';
import { createOAuthServer, locationOf, type OAuthTestServer, signInBy } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { createTestServer } from '../../support/test-server.ts';

/** The owner of the address that hostile responses contain. */
const owner = { email: 'owner@example.com', emailProvenAt: new Date(0), passwordHash: 'hash' };

const person = { sub: 'g-1', id: '1', email: 'owner@example.com', email_verified: true };

/** Signs in with a hostile provider, and returns the outcome. */
async function attack({ server, fake, client }: OAuthTestServer, provider: string, profile: Person = person) {
  const existing = await addUser(server, owner);
  const browser = client();
  const location = locationOf(await signInBy({ client: browser, fake }, provider, profile));
  const { items } = await server.stores.users.list({ limit: 10, after: null });
  return {
    location,
    cookies: [...browser.cookies.keys()],
    newUsers: items.filter((user) => !isDeepStrictEqual(user, existing)).length,
    links: await server.stores.oauthAccounts.list(existing.id),
    sessions: await server.stores.sessions.countActive(existing.id),
  };
}

const nothing = { location: '/auth/error?error=provider_error', cookies: [], newUsers: 0, links: [], sessions: 0 };

type SpellIdToken = (claims: JWTPayload, fake: FakeProvider) => Promise<JWTPayload | string> | JWTPayload | string;

const strangersKeys = generateKeyPair('RS256');

const without = (claims: JWTPayload, name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims).filter(([each]) => each !== name));

const idTokens: Readonly<Record<string, SpellIdToken>> = {
  'of another nonce': (claims) => ({ ...claims, nonce: 'x'.repeat(43) }),
  'without a nonce': (claims) => without(claims, 'nonce'),
  'with a nonce in a list': (claims) => ({ ...claims, nonce: [claims['nonce']] }),
  'for another client': (claims) => ({ ...claims, aud: 'client-2' }),
  'for us and another client': (claims) => ({ ...claims, aud: ['client-1', 'client-2'] }),
  'for no client': (claims) => without(claims, 'aud'),
  'that another client asked for': (claims) => ({ ...claims, azp: 'client-2' }),
  'of another issuer': (claims) => ({ ...claims, iss: 'https://accounts.google.com' }),
  'of no issuer': (claims) => without(claims, 'iss'),
  'that has expired': (claims) => ({ ...claims, exp: Number(claims.iat) }),
  'without an expiry': (claims) => without(claims, 'exp'),
  'without an iat': (claims) => without(claims, 'iat'),
  'without a sub': (claims) => without(claims, 'sub'),
  'of an empty sub': (claims) => ({ ...claims, sub: '' }),
  'of a sub with a NUL': (claims) => ({ ...claims, sub: 'a\0b' }),
  'of a sub that is too long': (claims) => ({ ...claims, sub: 'x'.repeat(256) }),
  'of a sub that is a number': (claims) => ({ ...claims, sub: 7 as unknown as string }),
  'with the signature of another key': async (claims) => {
    const { privateKey } = await strangersKeys;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(privateKey);
  },
  'of an unknown key': async (claims) => {
    const { privateKey } = await strangersKeys;
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-2' }).sign(privateKey);
  },
  'without a signature': (claims) => new UnsecuredJWT(claims).encode(),
  'signed with our own secret': (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from('secret-of-the-client'.padEnd(32))),
  'that is no JWT': () => 'e30.e30',
  'that is empty': () => '',
};

it.each(Object.keys(idTokens))('ends on the error page for an ID token %s', async (name) => {
  const oauth = await createOAuthServer();
  oauth.fake.idToken = (claims) => idTokens[name]?.(claims, oauth.fake) ?? claims;
  expect(await attack(oauth, 'google')).toEqual(nothing);
});

it('ends on the error page for an ID token of an algorithm that is not allowed, with any keys of the provider', async () => {
  const oauth = await createOAuthServer();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'key-1' }];
  oauth.fake.responders.set('/jwks', (response) => respondJson(response, { keys }));
  oauth.fake.idToken = (claims) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'key-1' }).sign(privateKey);
  expect(locationOf(await signInBy({ client: oauth.client(), fake: oauth.fake }, 'company', person))).toBe('/');
  for (const { id } of (await oauth.server.stores.users.list({ limit: 10, after: null })).items) {
    await oauth.server.stores.users.delete(id);
  }
  expect(await attack(oauth, 'google')).toEqual(nothing);
});

it('accepts an ID token until the moment it expires, by the clock of the stores', async () => {
  const oauth = await createOAuthServer();
  const { fake, client, clock } = oauth;
  const seconds = Math.floor(clock.now().getTime() / 1000);
  fake.idToken = (claims) => ({ ...claims, exp: seconds + 1, nbf: seconds + 4 });
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', person))).toBe('/');
  clock.advance(1000);
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', person))).toContain('provider_error');
});

it('refuses the ID token of another flow', async () => {
  const oauth = await createOAuthServer();
  const { fake, client } = oauth;
  let first: string | undefined;
  fake.idToken = async (claims, keys) => (first ??= await signIdToken(claims, keys));
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', { ...person, email: 'a@example.com' }))).toBe(
    '/',
  );
  expect(locationOf(await signInBy({ client: client(), fake }, 'google', person))).toContain('provider_error');
});

const html = (response: ServerResponse): void =>
  void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');

const responders: Readonly<Record<string, Responder>> = {
  HTML: html,
  nothing: (response) => void response.writeHead(200).end(),
  null: (response) => respondJson(response, null),
  'a list': (response) => respondJson(response, []),
  'a text': (response) => respondJson(response, 'no'),
  'the expected members under other names': (response) => respondJson(response, { accessToken: 'a', ID: '1' }),
  'members of other types': (response) =>
    respondJson(response, { access_token: 1, id: {}, sub: [], email: 7, keys: 'none', issuer: 1 }),
  'an error with status 200': (response) => respondJson(response, { error: 'bad_verification_code' }),
  'an error beside an access token': (response) => respondJson(response, { error: 'slow_down', access_token: 'a' }),
  'status 500': (response) => respondJson(response, { access_token: 'a', id: '1' }, 500),
  'status 204': (response) => void response.writeHead(204).end(),
  'a redirect': (response) => void response.writeHead(302, { location: '/elsewhere' }).end(),
  'a permanent redirect of the method': (response) => void response.writeHead(307, { location: '/token' }).end(),
  'invalid UTF-8': (response) => void response.writeHead(200).end(Buffer.from([0x7b, 0xff, 0xfe])),
  'a token that does not fit into a header': (response) =>
    respondJson(response, { access_token: 'a\r\nX-Evil: 1', id: '1\r\n' }),
  'a closed connection': (response) => void response.destroy(),
  'half a response': (response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"access_token":');
    setImmediate(() => response.destroy());
  },
  'too many bytes': (response) => {
    const flood = (): void => {
      while (!response.destroyed && response.write(' '.repeat(64 * 1024)));
    };
    response.writeHead(200).on('drain', flood);
    flood();
  },
};

const provoked = [
  ['google', '/token'],
  ['google', '/jwks'],
  ['github', '/token'],
  ['github', '/userinfo'],
  ['discord', '/userinfo'],
] as const;

const hostile = provoked.flatMap(([provider, path]) =>
  Object.keys(responders).map((name) => ({ provider, path, name })),
);

it.each(hostile)(
  'ends a sign-in with $provider on the error page for $name from $path',
  async ({ provider, path, name }) => {
    const oauth = await createOAuthServer();
    const responder = responders[name];
    if (responder) oauth.fake.responders.set(path, responder);
    expect(await attack(oauth, provider)).toEqual(nothing);
    expect(oauth.fake.calls).not.toContain('/elsewhere');
  },
);

it.each([
  ['/userinfo/emails', 'email_required'],
  ['/userinfo', 'provider_error'],
])('reads no GitHub address from a hostile response of %s', async (path, error) => {
  for (const name of ['HTML', 'null', 'members of other types', 'status 500', 'a redirect']) {
    const oauth = await createOAuthServer();
    oauth.fake.responders.set(path, responders[name] ?? html);
    const location = `/auth/error?error=${error}`;
    expect(await attack(oauth, 'github', { id: 1, email: '' })).toEqual({ ...nothing, location });
  }
});

it.each(['/token', '/jwks'])('waits for a slow provider at %s only as long as configured', async (path) => {
  const fakeOnly = await createOAuthServer();
  const { fake } = fakeOnly;
  const providers = [googleProvider({ ...fake.settings, timeout: 50 })];
  const slow = await createTestServer({ auth: { providers, oauthEncryptionKey: 'key' } });
  for (const responder of [() => {}, drip] satisfies Responder[]) {
    fake.responders.set(path, responder);
    const browser = slow.client();
    expect(locationOf(await signInBy({ client: browser, fake }, 'google', person))).toContain('provider_error');
    expect([...browser.cookies]).toEqual([]);
  }
});

/** Sends a byte now and then, without an end. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
}

it('responds with 503 at the start if discovery fails, and tries again the next time', async () => {
  const { fake, client, clock } = await createOAuthServer();
  const path = '/.well-known/openid-configuration';
  const evil = { ...fake.settings, issuer: 'https://evil.example.com' };
  const documents: readonly Responder[] = [
    html,
    (response) => respondJson(response, {}),
    (response) => respondJson(response, { issuer: evil.issuer, authorization_endpoint: 'https://evil.example.com' }),
    (response) => respondJson(response, { issuer: fake.url, authorization_endpoint: 'javascript:alert(1)' }),
    (response) => response.destroy(),
  ];
  for (const document of documents) {
    fake.responders.set(path, document);
    expect(await client().get('/api/auth/oauth/company')).toMatchObject({ status: 503 });
  }
  fake.responders.delete(path);
  for (let round = 0; round < 3; round += 1) expect((await client().get('/api/auth/oauth/company')).status).toBe(302);
  expect(fake.calls).toEqual(Array.from({ length: documents.length + 1 }, () => path));
  // Discovered endpoints are cached for an hour.
  clock.advance(3_599_999);
  await client().get('/api/auth/oauth/company');
  expect(fake.calls).toHaveLength(documents.length + 1);
  clock.advance(1);
  await client().get('/api/auth/oauth/company');
  expect(fake.calls).toHaveLength(documents.length + 2);
});

it.each([false, 'true', 1, 'TRUE', null, undefined, [], {}])(
  'does not link the account of an address that Google sends with email_verified = %j',
  async (email_verified) => {
    const { server, fake, client } = await createOAuthServer();
    const existing = await addUser(server, owner);
    const browser = client();
    const profile = { sub: 'g-1', email: 'owner@example.com', email_verified };
    expect(locationOf(await signInBy({ client: browser, fake }, 'google', profile))).toBe('/');
    expect(await server.stores.users.findById(existing.id)).toEqual(existing);
    expect(await server.stores.oauthAccounts.list(existing.id)).toEqual([]);
    expect(await server.stores.sessions.countActive(existing.id)).toBe(0);
    const { items } = await server.stores.users.list({ limit: 10, after: null });
    const created = items.find(({ id }) => id !== existing.id);
    expect(created).toMatchObject({ loginEmail: null, emailVerified: false, emailProvenAt: null });
  },
);

it('uses an error code of its own instead of the text of a provider about an error', async () => {
  const { client } = await createOAuthServer();
  const texts = [
    'Zugriff verweigert: ungültig',
    '拒否',
    '\r\nSet-Cookie: app.sid=evil',
    '%0d%0aX-Evil: 1',
    '<script>',
    '\ud83d',
    '😀',
  ];
  for (const provider of ['google', 'github', 'discord', 'company']) {
    for (const text of texts) {
      const description = encodeURIComponent(text.toWellFormed());
      for (const [error, code] of [
        ['access_denied', 'provider_denied'],
        [description, 'provider_error'],
      ] as const) {
        const query = `error=${error}&error_description=${description}&error_uri=${description}`;
        const response = await client().get(`/api/auth/oauth/${provider}/callback?${query}`);
        expect(locationOf(response)).toBe(`/auth/error?error=${code}`);
        expect([...response.headers.keys()]).not.toContain('x-evil');
        expect(response.headers.getSetCookie()).toEqual([]);
      }
    }
  }
});

it('logs a failure at a provider briefly, without the text of its response', async () => {
  const { logger, lines } = recordingLogger();
  const { fake, client } = await createOAuthServer({ logger });
  fake.idToken = (claims) => ({ ...claims, aud: 'client-2', secret: 'of the provider' });
  await signInBy({ client: client(), fake }, 'google', person);
  fake.responders.set('/token', (response) => respondJson(response, { secret: 'of the provider' }));
  await signInBy({ client: client(), fake }, 'google', person);
  const failures = lines.filter(({ message }) => message === 'a sign-in by a provider failed');
  expect(failures.map(({ fields }) => fields)).toEqual([
    expect.objectContaining({ provider: 'google', code: 'provider_error', cause: expect.stringContaining('aud') }),
    expect.objectContaining({ provider: 'google', code: 'provider_error' }),
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/of the provider|owner@example/);
});
