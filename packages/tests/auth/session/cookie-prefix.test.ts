import { expect, it } from 'vitest';
import { createOAuthServer, locationOf, signInBy } from '../../support/oauth-server.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import { ada, createMfaServer, enrol } from '../../support/second-factor.ts';
import { createTestServer, type TestServer } from '../../support/test-server.ts';

const withPrefix = (prefix: string, more: object = {}) =>
  ({ session: { strategy: 'jwt', algorithm: 'ES256', cookie: { prefix, ...more } } }) as const;

it('keeps two apps on two ports of one host apart', async () => {
  const [tracker, shop] = [
    await createTestServer({ auth: withPrefix('tracker') }),
    await createTestServer({ auth: withPrefix('shop') }),
  ];
  const browser = tracker.client();
  await browser.post('/api/auth/signup', ada);
  expect([...browser.cookies.keys()]).toEqual(['tracker.sid', 'tracker.ref']);
  const atShop = shop.client();
  for (const [name, value] of browser.cookies) atShop.cookies.set(name, value);
  expect((await atShop.get('/api/auth/session')).body.session).toBeNull();
  await atShop.post('/api/auth/signup', ada);
  for (const [name, value] of atShop.cookies) browser.cookies.set(name, value);
  expect(browser.cookies.size).toBe(4);
  for (const [app, own] of [
    [tracker, browser],
    [shop, atShop],
  ] as const) {
    app.clock.advance(61_000);
    expect((await own.post('/api/auth/refresh')).status).toBe(200);
    expect((await own.get('/api/auth/session')).body.session).not.toBeNull();
  }
  await browser.post('/api/auth/signout');
  expect([...browser.cookies.keys()].toSorted()).toEqual(['shop.ref', 'shop.sid']);
});

it('holds for challenges and for flows with providers, which need no more', async () => {
  const withFactor = await createMfaServer({ auth: withPrefix('tracker') });
  const { nextCode } = await enrol(withFactor);
  const browser = withFactor.client();
  expect(refusalOf(await browser.post('/api/auth/signin', ada))).toBe('MFA_REQUIRED');
  expect([...browser.cookies.keys()]).toEqual(['tracker.mfa']);
  expect((await browser.post('/api/auth/mfa/challenge', { code: nextCode() })).status).toBe(200);
  expect([...browser.cookies.keys()]).toEqual(['tracker.sid', 'tracker.ref']);

  const { client, fake } = await createOAuthServer({ auth: withPrefix('__Host-tracker') });
  const other = client();
  const started = await other.get('/api/auth/oauth/google');
  expect(started.headers.getSetCookie()).toEqual([
    expect.stringMatching(
      /^__Host-tracker\.oauth\.[\w-]{12}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ]);
  expect(locationOf(await signInBy({ client: other, fake }, 'google', { sub: '1', ...ada }))).toBe('/');
  expect([...other.cookies.keys()].filter((name) => !name.includes('.oauth.'))).toEqual([
    '__Host-tracker.sid',
    '__Host-tracker.ref',
  ]);
});

it('decides which cookies a bearer token may not come with', async () => {
  const test = await createTestServer({ auth: withPrefix('tracker') });
  const browser = test.client();
  await browser.post('/api/auth/signup', ada);
  const authorization = `Bearer ${browser.cookies.get('tracker.sid')}`;
  const signOut = async (cookie: string): Promise<number> =>
    (await test.client().post('/api/auth/signout', {}, { headers: { authorization, cookie, origin: null } })).status;
  expect(await signOut('tracker.ref=x')).toBe(403);
  expect(await signOut('app.ref=x')).toBe(200);
});

it('is that of the OpenAPI document', async () => {
  const document = await documentOf(await createTestServer({ auth: withPrefix('tracker') }));
  expect(document).toContain('"name":"tracker.sid"');
  expect(document).toContain('`tracker.ref`');
  expect(document).not.toMatch(/\bapp\.(sid|ref|mfa|oauth)/);
});

async function documentOf({ client }: TestServer): Promise<string> {
  return (await client().get('/api/openapi.json')).text;
}
