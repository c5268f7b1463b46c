import { type Auth, createAuth, createScryptHasher, githubProvider } from '@x/auth';
import { addAuthRoutes, createAuthRoutes } from '@x/auth/hono';
import { ConfigurationError } from '@x/errors';
import { createMemoryStores } from '@x/store-memory';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { TestClient } from '../../support/test-client.ts';
import { createTestServer } from '../../support/test-server.ts';
import { generateKeys } from '../../support/token-forge.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

it('serves auth at another path, with its cookies, documents and links', async () => {
  const { server, client } = await createTestServer({
    auth: {
      basePath: '/account/auth',
      mfa: { enabled: true },
      oauthEncryptionKey: 'a secret of more than 32 characters',
      providers: [githubProvider({ clientId: 'id', clientSecret: 'secret' })],
    },
  });
  const browser = client();
  const signedUp = await browser.post('/account/auth/signup', ada);
  expect([signedUp.status, signedUp.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(signedUp.headers.getSetCookie().at(-1)).toContain('Path=/account/auth;');
  expect((await browser.post('/account/auth/refresh')).status).toBe(200);
  expect((await browser.get('/account/auth/session')).body.session).not.toBeNull();
  const { providers } = (await browser.get('/account/auth/providers')).body as unknown as { providers: object };
  expect(providers).toEqual([{ id: 'github', name: 'GitHub', url: '/account/auth/oauth/github' }]);
  const start = await browser.get('/account/auth/oauth/github');
  expect(start.headers.get('location')).toContain(encodeURIComponent('/account/auth/oauth/github/callback'));
  expect(start.headers.getSetCookie().at(-1)).toContain('Path=/account/auth/oauth;');
  expect(refusalOf(await browser.get('/api/auth/session'))).toBe('NOT_FOUND');
  const { paths } = (await browser.get('/api/openapi.json')).body as unknown as { paths: object };
  expect(Object.keys(paths).filter((path) => path.endsWith('/signup'))).toEqual(['/account/auth/signup']);
  expect(server.auth.basePath).toBe('/account/auth');
});

it.each([
  ...['auth', '/auth/', '/', '/a b', '//auth', '/auth?x', 'https://app.example.com/auth'],
  ...['/../x', '/..', '/x/..', '/./x', '/x/.'],
])('refuses the path %j at the start', async (basePath) => {
  await expect(createTestServer({ auth: { basePath } })).rejects.toThrow(
    /basePath: must be a path such as \/api\/auth/,
  );
});

it.each(['/account', '/api/auth/refresh', '/api/au'])(
  'refuses cookies at %j, which refreshes would not get',
  async (path) => {
    const session = { strategy: 'jwt', cookie: { refreshPath: path } } as const;
    await expect(createTestServer({ auth: { session } })).rejects.toThrow(
      'session.cookie.refreshPath: must be /api/auth or a path above it',
    );
  },
);

const createAuthAlone = (settings?: object): Promise<Auth> =>
  createAuth({
    production: false,
    baseUrl: 'http://localhost:3000',
    session: { strategy: 'jwt', algorithm: 'ES256' },
    stores: createMemoryStores(),
    passwordHasher: createScryptHasher({ ln: 1, r: 1, p: 1 }),
    ...generateKeys().pem,
    ...settings,
  });

it('refuses at the start to add its routes to an app whose own path leads elsewhere', async () => {
  const auth = await createAuthAlone();
  for (const path of ['/auth', '/api/auth', '/']) {
    expect(() => addAuthRoutes(new Hono().basePath(path), auth)).not.toThrow();
  }
  expect(() => addAuthRoutes(new Hono().basePath('/account/auth'), auth)).toThrow(
    new ConfigurationError([
      "The auth routes would be at /account/auth: mount them at '/api/auth', or set basePath to where they are.",
    ]),
  );
});

it('says where to mount its routes, or what to set, if they are mounted elsewhere', async () => {
  const { logger, lines } = recordingLogger();
  const auth = await createAuthAlone({ logger });
  const app = new Hono().route('/auth', createAuthRoutes(auth));
  const browser = new TestClient('http://localhost:3000', (request) => app.fetch(request));
  const message =
    "The auth routes were reached at /auth/signup: mount them at '/api/auth', or set basePath to where they are.";
  expect((await browser.post('/auth/signup', ada)).body.error).toEqual({ code: 'INTERNAL_ERROR', message });
  expect(lines.find(({ level }) => level === 'error')?.fields['err']).toMatchObject({ message });
});
