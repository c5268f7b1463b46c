import { ConfigurationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createSigningKeys } from '../testing/signing-keys.ts';
import type { AuthSettings } from './auth-settings.ts';
import { parseAuthSettings } from './parse-auth-settings.ts';

const keys = createSigningKeys('RS256').source;
const minimal: AuthSettings = { production: false, session: { strategy: 'jwt' } };
const production: AuthSettings = {
  baseUrl: 'https://app.example.com',
  privateKey: keys.privateKey,
  publicKey: keys.publicKey,
  session: { strategy: 'jwt' },
};

function problemsOf(settings: unknown): readonly string[] {
  try {
    parseAuthSettings(settings as AuthSettings);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('parseAuthSettings', () => {
  it('fills in the defaults of the specification', () => {
    expect(parseAuthSettings(minimal)).toMatchObject({
      trustProxy: 0,
      verificationKeys: [],
      session: {
        ttl: 60_000,
        refreshTtl: 604_800_000,
        refreshGrace: 10_000,
        algorithm: 'RS256',
        cookie: { secure: true, sameSite: 'lax' },
      },
      emailPassword: {
        rateLimit: {},
        password: { minLength: 8, requireUppercase: false, requireNumbers: false },
      },
    });
  });

  it('derives issuer and audience from baseUrl unless they are given', () => {
    expect(parseAuthSettings(production)).toMatchObject({
      issuer: 'https://app.example.com',
      audience: 'https://app.example.com',
    });
    expect(parseAuthSettings({ ...production, issuer: 'i', audience: 'a' })).toMatchObject({
      issuer: 'i',
      audience: 'a',
    });
  });

  it('assumes production by default, and then requires a base URL and both keys', () => {
    expect(problemsOf({ session: { strategy: 'jwt' } })).toEqual([
      'baseUrl: is required in production',
      'privateKey: a PEM is required in production',
      'publicKey: a PEM is required in production',
    ]);
  });

  it('refuses secrets of fewer than 16 bytes in production', () => {
    const [short, enough] = ['ä'.repeat(7), 'ä'.repeat(8)];
    expect(problemsOf({ ...production, secrets: [enough, short], oauthEncryptionKey: short })).toEqual([
      expect.stringMatching(/^secrets: a secret has at least 16 bytes/),
      expect.stringMatching(/^oauthEncryptionKey: a secret has at least 16 bytes/),
    ]);
    expect(problemsOf({ ...minimal, secrets: [short], oauthEncryptionKey: short })).toEqual([]);
    expect(problemsOf({ ...production, secrets: [enough], oauthEncryptionKey: enough })).toEqual([]);
  });

  it('reports a secret that is too short beside one that is empty', () => {
    expect(problemsOf({ ...production, secrets: [''], oauthEncryptionKey: ['x'] })).toEqual([
      'secrets.0: must not be empty',
      expect.stringMatching(/^oauthEncryptionKey: a secret has at least 16 bytes/),
    ]);
  });

  it('reports every problem together, by the name of its setting', () => {
    const problems = problemsOf({
      ...minimal,
      baseUrl: 'ftp://x',
      session: { strategy: 'cookie', ttl: '1w', algorithm: 'HS256', refreshGrace: 0, cookie: { sameSite: 'maybe' } },
      emailPassword: { rateLimit: { window: 'x', maxAttempts: 0 }, password: { minLength: 0 } },
      trustProxy: ['x'],
      verificationKeys: 'x',
      secrets: [''],
      unheardOf: 1,
    });
    expect(problems.map((problem) => problem.split(':')[0])).toEqual(
      expect.arrayContaining([
        'baseUrl',
        'session.strategy',
        'session.ttl',
        'session.algorithm',
        'session.cookie.sameSite',
        'session.refreshGrace',
        'emailPassword.rateLimit.window',
        'emailPassword.rateLimit.maxAttempts',
        'emailPassword.password.minLength',
        'trustProxy.0',
        'verificationKeys',
        'secrets.0',
      ]),
    );
  });

  it('refuses cookies that are not secure in production, and SameSite=None without Secure anywhere', () => {
    const cookie = { secure: false };
    expect(problemsOf({ ...production, session: { strategy: 'jwt', cookie } })).toEqual([
      'session.cookie.secure: cannot be false in production',
    ]);
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', cookie } })).toEqual([]);
    expect(
      problemsOf({ ...minimal, session: { strategy: 'jwt', cookie: { secure: false, sameSite: 'none' } } }),
    ).toEqual(["session.cookie.sameSite: 'none' needs secure cookies"]);
  });

  it('reports keys that can not be used together with all other problems', () => {
    const { publicKey: other } = createSigningKeys('ES256').source;
    const settings = { ...production, publicKey: 'x', verificationKeys: [other], baseUrl: undefined, sesion: {} };
    expect(problemsOf(settings)).toEqual([
      'sesion: unknown option, did you mean session?',
      'baseUrl: is required in production',
      'publicKey must be a public key in PEM: SPKI or PKCS#1.',
      'verificationKeys[0] does not fit RS256: it is a key of type ec, not rsa.',
    ]);
  });

  it('accepts an origin as baseUrl, and names other parts, which would be cut off', () => {
    for (const baseUrl of ['https://a.example', 'https://a.example/', 'HTTPS://A.example:443']) {
      expect(parseAuthSettings({ ...production, baseUrl })).toMatchObject({
        baseUrl: 'https://a.example',
        issuer: 'https://a.example',
      });
    }
    const cut = ['/app', '/?x', '?x', '#x', '/#', '//', '\\x'].map((rest) => `https://a.example${rest}`);
    for (const baseUrl of [...cut, 'https://ada:secret@a.example', 'https://@a.example', 'a.example', 'ftp://a']) {
      expect(problemsOf({ ...minimal, baseUrl })).toEqual([
        expect.stringMatching(/^baseUrl: must be an http or https/),
      ]);
    }
  });

  it('refuses an address without TLS in production, unless of this machine', () => {
    for (const baseUrl of [
      'http://a.example',
      'http://127.0.0.1.example',
      'http://localhost.example',
      'http://10.0.0.1',
    ]) {
      expect(problemsOf({ ...production, baseUrl })).toEqual([
        'baseUrl: must be https in production, unless on localhost',
      ]);
      expect(problemsOf({ ...minimal, baseUrl })).toEqual([]);
    }
    for (const host of ['localhost:3000', '127.0.0.1:3000', '127.1.2.3', '[::1]:3000', 'app.localhost']) {
      expect(problemsOf({ ...production, baseUrl: `http://${host}` })).toEqual([]);
    }
  });

  it('refuses half a key pair in development', () => {
    expect(problemsOf({ ...minimal, privateKey: keys.privateKey })).toEqual([
      'privateKey, publicKey: give both, or none to have them generated',
    ]);
  });

  it('refuses a JWT that outlives its session, and lifetimes in fractions of seconds', () => {
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', ttl: '2h', refreshTtl: '1h' } })).toEqual([
      'session.ttl: cannot be longer than session.refreshTtl',
    ]);
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', ttl: 1500 } })).toEqual([
      'session.ttl: must be whole seconds',
    ]);
  });

  it.each(['https://a.example/path', 'https://user@a.example', 'a.example', 'https://a.example?x'])(
    'refuses the trusted origin %s',
    (origin) => {
      expect(problemsOf({ ...minimal, trustedOrigins: [origin] })).toEqual([
        expect.stringContaining('trustedOrigins.0'),
      ]);
    },
  );

  it.each([0, 1, 32, [], ['10.0.0.1'], ['10.0.0.0/8', '2001:db8::/32', '::1', '0.0.0.0/0', '::ffff:10.0.0.0/104']])(
    'accepts the trusted proxies %j',
    (trustProxy) => {
      expect(parseAuthSettings({ ...minimal, trustProxy }).trustProxy).toEqual(trustProxy);
    },
  );

  it.each<unknown>([
    ...[-1, 33, 1.5, Number.NaN, Infinity, '1', true, null, {}, '10.0.0.0/8', 'loopback', [1], [null]],
  ])('refuses the trusted proxies %j', (trustProxy) => {
    expect(problemsOf({ ...minimal, trustProxy })).toEqual([
      'trustProxy: must be a number of proxies from 0 to 32, or a list of addresses and CIDR ranges',
    ]);
  });

  it.each([
    ...['10.0.0.0/33', '10.0.0.0/-1', '10/8', '10.0.0.0/', '10.0.0.0/8 ', '010.0.0.1', '0x0a.0.0.1', '167772161', ''],
    ...['::1/129', '::ffff:10.0.0.0/8', '10.0.0.1:80', '*', '10.0.0.1,10.0.0.2', 'loopback', '[::1]', 'fe80::/10%eth0'],
  ])('refuses the trusted proxy %j, and names it', (range) => {
    expect(problemsOf({ ...minimal, trustProxy: ['10.0.0.1', range, 'x'] })).toEqual([
      'trustProxy.1: must be an IP address or a CIDR range',
      'trustProxy.2: must be an IP address or a CIDR range',
    ]);
  });

  it.each([
    [{}, {}],
    [{ window: '15m' }, { window: 900_000 }],
    [{ maxAttempts: 1 }, { maxAttempts: 1 }],
    [
      { window: 1, maxAttempts: 1_000_000 },
      { window: 1, maxAttempts: 1_000_000 },
    ],
  ] as const)('accepts the rate limit %j', (rateLimit, parsed) => {
    const { emailPassword } = parseAuthSettings({ ...minimal, emailPassword: { rateLimit } });
    expect(emailPassword.rateLimit).toEqual(parsed);
  });

  it.each<readonly [object, string]>([
    ...[0, -1, 1.5, 1_000_001, Infinity, '5', null].map((maxAttempts) => [{ maxAttempts }, 'maxAttempts'] as const),
    ...[0, -1, 0.5, '1w', '', '0s', null, '3651d'].map((window) => [{ window }, 'window'] as const),
  ])('refuses the rate limit %j', (rateLimit, name) => {
    expect(problemsOf({ ...minimal, emailPassword: { rateLimit } })).toEqual([
      expect.stringMatching(new RegExp(`^emailPassword\\.rateLimit\\.${name}: `)),
    ]);
  });

  it('refuses a rate limit with an unknown setting', () => {
    expect(problemsOf({ ...minimal, emailPassword: { rateLimit: { max: 5 } } })).toHaveLength(1);
  });

  it.each([
    ['10s', 10_000],
    [1, 1],
    ['500ms', 500],
    ['until-used', 'until-used'],
  ] as const)('accepts the refresh grace period %j', (refreshGrace, parsed) => {
    expect(parseAuthSettings({ ...minimal, session: { strategy: 'jwt', refreshGrace } }).session.refreshGrace).toBe(
      parsed,
    );
  });

  it('accepts a path of the refresh token that covers the auth routes, and no other', () => {
    const withPath = (refreshPath: never) =>
      ({ ...minimal, session: { strategy: 'jwt', cookie: { refreshPath } } }) as const;
    for (const path of ['/', '/api', '/api/auth']) expect(problemsOf(withPath(path as never))).toEqual([]);
    for (const path of ['', '/account', '/api/', '/api/auth/refresh', 'api', '/; Domain=x']) {
      expect(problemsOf(withPath(path as never))[0]).toMatch(/^session\.cookie\.refreshPath: /);
    }
  });

  it('accepts prefixes of cookies that browsers keep with the other settings', () => {
    const withCookie = (cookie: object) => ({ ...minimal, session: { strategy: 'jwt', cookie } }) as const;
    for (const prefix of ['app', 'Tracker', 'my-app_2', '__Host-app', '__Secure-app']) {
      expect(problemsOf(withCookie({ prefix }))).toEqual([]);
    }
    for (const prefix of ['', '2', 'a.b', 'a b', 'a;b', 'a=b', '__app', '__host-app', '__Host-', 'ä', 'x'.repeat(33)]) {
      expect(problemsOf(withCookie({ prefix }))).toEqual([expect.stringMatching(/^session\.cookie\.prefix: must be/)]);
    }
    expect(problemsOf(withCookie({ prefix: '__Secure-app', secure: false }))).toEqual([
      'session.cookie.prefix: browsers accept __Host- and __Secure- only of secure cookies',
    ]);
    expect(problemsOf(withCookie({ prefix: '__Host-app', refreshPath: '/api' }))).toEqual([
      'session.cookie.refreshPath: is / where session.cookie.prefix begins with __Host-',
    ]);
    expect(parseAuthSettings(withCookie({ prefix: '__Host-app' })).session.cookie.refreshPath).toBe('/');
    expect(parseAuthSettings(minimal).session.cookie).toMatchObject({ prefix: 'app', refreshPath: '/api/auth' });
  });

  it.each([0, -1, 'soon', '10', Infinity, 'until'])('refuses the refresh grace period %j', (refreshGrace) => {
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', refreshGrace } })).toEqual([
      expect.stringMatching(/^session\.refreshGrace: /),
    ]);
  });

  it.each(['id', 'role', 'emailVerified', 'password', 'createdAt'])("refuses an app's user field named %s", (name) => {
    expect(problemsOf({ ...minimal, userFields: { [name]: { schema: z.string() } } })).toEqual([
      `userFields.${name}: the name is reserved`,
    ]);
  });

  it('never prints a value that it was given', () => {
    const problems = problemsOf({ ...minimal, baseUrl: 'SECRET-1', privateKey: 42, secrets: ['SECRET-2', ''] });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toMatch(/SECRET|42/);
  });
});

describe('parseAuthSettings for second factors and tenants', () => {
  const mfa = { enabled: true };

  it('requires an encryption key for second factors: one secret or a list of them', () => {
    const problem = 'oauthEncryptionKey: is required where mfa is enabled';
    expect(problemsOf({ ...minimal, mfa })).toEqual([problem]);
    expect(problemsOf({ ...minimal, mfa, trustProxy: -1 })).toContain(problem);
    expect(problemsOf({ ...minimal, mfa: { enabled: false } })).toEqual([]);
    expect(parseAuthSettings({ ...minimal, mfa, oauthEncryptionKey: 'key' }).oauthEncryptionKey).toEqual(['key']);
    const list = ['current', 'old'];
    expect(parseAuthSettings({ ...minimal, mfa, oauthEncryptionKey: list }).oauthEncryptionKey).toEqual(list);
  });

  it.each(['', [], [''], ['key', ''], 1, null, {}])('refuses the encryption key %j', (oauthEncryptionKey) => {
    expect(problemsOf({ ...minimal, mfa, oauthEncryptionKey })[0]).toMatch(/^oauthEncryptionKey/);
  });

  it('turns second factors off by default, and accepts an issuer that fits into a URI', () => {
    expect(parseAuthSettings(minimal).mfa).toEqual({ enabled: false });
    for (const issuer of ['', 'a:b', 'a\nb', 'x'.repeat(101)]) {
      expect(problemsOf({ ...minimal, mfa: { ...mfa, issuer }, oauthEncryptionKey: 'key' })[0]).toMatch(/^mfa.issuer/);
    }
    const parsed = parseAuthSettings({ ...minimal, mfa: { issuer: 'Ada & Co' }, oauthEncryptionKey: 'key' });
    expect(parsed.mfa).toEqual({ enabled: true, issuer: 'Ada & Co' });
  });

  it('turns a feature on where its settings are given, unless they say otherwise', () => {
    const onSend = (): void => undefined;
    const { emailVerification, passwordReset } = parseAuthSettings({
      ...minimal,
      emailVerification: { onSend },
      passwordReset: { onSend },
    });
    expect([emailVerification.enabled, passwordReset.enabled]).toEqual([true, true]);
    const off = { enabled: false, onSend };
    expect(parseAuthSettings({ ...minimal, passwordReset: off }).passwordReset).toEqual({ enabled: false });
    expect(problemsOf({ ...minimal, passwordReset: {} })).toEqual(['passwordReset.onSend: must be a function']);
    expect(problemsOf({ ...minimal, passwordReset: { enabled: 'yes', onSend } })[0]).toMatch(/^passwordReset.enabled/);
  });

  it('accepts the tenants of an app as two functions', () => {
    const list = (): [] => [];
    expect(parseAuthSettings(minimal).tenant).toBeUndefined();
    expect(problemsOf({ ...minimal, tenant: { list } })).toEqual(['tenant.isMember: must be a function']);
    expect(problemsOf({ ...minimal, tenant: { list, isMember: () => true } })).toEqual([]);
  });
});
