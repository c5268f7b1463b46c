import { type AuthOptions, appleProvider, gitlabProvider, microsoftProvider } from '@x/auth';
import { importSPKI, jwtVerify } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type FakeProvider, startFakeProvider } from '../../support/fake-provider.ts';
import { locationOf, signInBy, start } from '../../support/oauth-server.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { refusalOf } from '../../support/refusal-of.ts';
import type { TestClient, TestResponse } from '../../support/test-client.ts';
import { createTestDatabase, createTestServer, engines } from '../../support/test-server.ts';

const tenant = '9188040d-6c67-4c5b-b112-36a304b66dad';
const failed = '/auth/error?error=provider_error';

const keyOfApple = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicPem = keyOfApple.publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Starts a server with the three providers, which are one program on this machine. */
async function startServer(engine: (typeof engines)[number] = 'memory', auth: Partial<AuthOptions> = {}) {
  const database = createTestDatabase(engine);
  const fake = await startFakeProvider(() => database.clock.now());
  const providers = [
    microsoftProvider({ ...fake.settings, issuer: `${fake.url}/{tenantid}/v2.0` }),
    gitlabProvider(fake.settings),
    appleProvider({
      ...withoutSecret(fake),
      teamId: 'TEAM123456',
      keyId: 'KEY1234567',
      privateKey: keyOfApple.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    }),
  ];
  const { logger, lines } = recordingLogger();
  const settings = { providers, oauthEncryptionKey: 'any text will do, if nobody else has it', ...auth };
  return { ...(await createTestServer({ database, auth: settings, logger })), fake, lines };
}

function withoutSecret({ settings: { clientSecret: _, ...rest } }: FakeProvider) {
  return rest;
}

describe('Microsoft', () => {
  const eve = { sub: 'm-1', tid: tenant, email: 'eve@example.com', email_verified: true };

  /** Has the provider sign for a tenant, as its common endpoint does. */
  function signFor(fake: FakeProvider, tid: unknown, iss = `${fake.url}/${String(tid)}/v2.0`): void {
    fake.idToken = (claims) => ({ ...claims, iss, tid });
  }

  it.each(engines)('signs in accounts of any tenant, and trusts none of their addresses, on %s', async (engine) => {
    const { server, client, fake } = await startServer(engine);
    await client().post('/api/auth/signup', { email: eve.email, password: 'correct horse battery' });
    signFor(fake, tenant);
    for (const path of ['/', '/']) {
      const browser = client();
      expect(locationOf(await signInBy({ client: browser, fake }, 'microsoft', eve))).toBe(path);
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: { emailVerified: false } });
    }
    // The address did not lead into the account that has it.
    expect((await server.stores.users.list({ limit: 9, after: null })).items).toHaveLength(2);
  });

  it.each([
    ['another tenant than its own', 'f0000000-0000-4000-8000-000000000000', undefined],
    ['no tenant', undefined, undefined],
    ['a tenant that is a path', `${tenant}/v2.0/x`, undefined],
    ['another host', tenant, `https://evil.example.com/${tenant}/v2.0`],
  ])('refuses an ID token of %s', async (_, tid, iss) => {
    const { client, fake } = await startServer();
    signFor(fake, tid, iss ?? `${fake.url}/${tid === undefined || tid.includes('/') ? tid : tenant}/v2.0`);
    expect(locationOf(await signInBy({ client: client(), fake }, 'microsoft', eve))).toBe(failed);
  });

  it('accepts a key that signs for any tenant or for this one, and refuses one of another', async () => {
    const issuers = { '{tenantid}': '/', [tenant]: '/', 'f0000000-0000-4000-8000-000000000000': failed };
    for (const [signedFor, location] of Object.entries(issuers)) {
      const { client, fake } = await startServer();
      fake.keyMembers = { issuer: `${fake.url}/${signedFor}/v2.0` };
      signFor(fake, tenant);
      expect(locationOf(await signInBy({ client: client(), fake }, 'microsoft', eve))).toBe(location);
    }
  });
});

describe('GitLab', () => {
  it.each(engines)('signs in with the address of its user info, which is not trusted, on %s', async (engine) => {
    const { client, fake } = await startServer(engine);
    const person = { sub: '7', email: 'eve@example.com', email_verified: true };
    fake.idToken = ({ email: _, ...claims }) => claims;
    const browser = client();
    expect(locationOf(await signInBy({ client: browser, fake }, 'gitlab', person))).toBe('/');
    expect(fake.calls).toContain('/userinfo');
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({
      user: { email: 'eve@example.com', emailVerified: false },
    });
  });
});

describe('Apple', () => {
  const eve = { sub: '000792.d7', email: 'eve@privaterelay.appleid.com', email_verified: 'true' };

  /** Posts the response of Apple as its page does: from another site, without our cookies. */
  function post(client: TestClient, fields: string): Promise<TestResponse> {
    return client.send('/api/auth/oauth/apple/callback', {
      method: 'POST',
      raw: fields,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: 'https://appleid.apple.com',
        'sec-fetch-site': 'cross-site',
        'x-app-request': null,
        cookie: null,
      },
    });
  }

  it.each(engines)('signs in by a posted response, with a client secret signed for the call, on %s', async (engine) => {
    const { client, fake, clock } = await startServer(engine);
    const secrets: unknown[] = [];
    fake.acceptsSecret = async (secret) => {
      const key = await importSPKI(publicPem, 'ES256');
      const { payload, protectedHeader } = await jwtVerify(secret, key, { currentDate: clock.now() });
      secrets.push({ ...payload, ...protectedHeader });
      return true;
    };
    const browser = client();
    const url = await start(browser, 'apple', '?redirectTo=/welcome');
    expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
      response_mode: 'form_post',
      scope: 'openid email',
    });
    const callback = fake.consent(url, eve);
    const posted = await post(browser, `${callback.split('?')[1]}&user=%7B%22name%22%3A%7B%7D%7D&id_token=x.y.z`);
    expect([posted.status, posted.headers.get('location')]).toEqual([303, `?${callback.split('?')[1]}`]);
    expect(posted.headers.getSetCookie()).toEqual([]);
    expect(fake.calls).not.toContain('/token');
    const location = `/api/auth/oauth/apple/callback${posted.headers.get('location')}`;
    expect(locationOf(await browser.get(location))).toBe('/welcome');
    expect((await browser.get('/api/auth/session')).body.session).toMatchObject({
      user: { email: eve.email, emailVerified: true },
    });
    const iat = Math.floor(clock.now().getTime() / 1000);
    const registered = { iss: 'TEAM123456', sub: 'client-1', aud: fake.url, alg: 'ES256', kid: 'KEY1234567' };
    expect(secrets).toEqual([{ ...registered, iat, exp: iat + 300 }]);
  });

  it.each([false, 'false', 1, undefined])(
    'does not trust an address with email_verified: %j',
    async (email_verified) => {
      const { client, fake } = await startServer();
      fake.acceptsSecret = () => true;
      const browser = client();
      await signInBy({ client: browser, fake }, 'apple', { ...eve, email_verified });
      expect((await browser.get('/api/auth/session')).body.session).toMatchObject({ user: { emailVerified: false } });
    },
  );

  it('does nothing but redirect at a post, with the fields that the callback knows', async () => {
    const { client, fake, server } = await startServer();
    const browser = client();
    await browser.post('/api/auth/signup', { email: 'ada@example.com', password: 'correct horse battery' });
    const before = [...browser.cookies];
    const posts = {
      '': '?',
      'state=abc&error=user_cancelled_authorize': '?state=abc&error=user_cancelled_authorize',
      'code=1&code=2&state=x': '?state=x',
      'code=%0D%0ASet-Cookie%3A+a%3Db&state=%2F%2Fevil.example.com':
        '?code=%0D%0ASet-Cookie%3A+a%3Db&state=%2F%2Fevil.example.com',
      'continued=1&redirectTo=https://evil.example.com&__proto__=x&code=1': '?code=1',
    };
    for (const [fields, location] of Object.entries(posts)) {
      for (const cookie of [null, before.map(([name, value]) => `${name}=${value}`).join('; ')]) {
        const response = await browser.send('/api/auth/oauth/apple/callback', {
          method: 'POST',
          raw: fields,
          headers: { 'content-type': 'application/x-www-form-urlencoded', origin: null, 'x-app-request': null, cookie },
        });
        expect([response.status, response.headers.get('location')]).toEqual([303, location]);
        expect(response.headers.getSetCookie()).toEqual([]);
        expect(response.headers.get('cache-control')).toBe('no-store');
        expect(response.text).toBe('');
      }
    }
    expect(fake.calls).toEqual([]);
    expect((await server.stores.users.list({ limit: 9, after: null })).items).toHaveLength(1);
    expect((await browser.get('/api/auth/session')).body.session).not.toBeNull();
  });

  it('ends as declined if the person cancels', async () => {
    const { client } = await startServer();
    const denied = await client().get('/api/auth/oauth/apple/callback?error=user_cancelled_authorize');
    expect(locationOf(denied)).toBe('/auth/error?error=provider_denied');
  });

  it('takes a form of 8 KiB at most, at the callback of a provider that posts alone', async () => {
    const { client } = await startServer();
    const browser = client();
    expect(refusalOf(await post(browser, `code=${'x'.repeat(8192)}`))).toBe('PAYLOAD_TOO_LARGE');
    expect(refusalOf(await browser.post('/api/auth/oauth/apple/callback', { code: '1' }))).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    );
    expect(refusalOf(await browser.post('/api/auth/oauth/gitlab/callback', { code: '1' }))).toBe('METHOD_NOT_ALLOWED');
    expect(refusalOf(await browser.post('/api/auth/oauth/none/callback', { code: '1' }))).toBe('NOT_FOUND');
  });
});
