import { ConfigurationError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AuthSettings } from './auth-settings.ts';
import { parseAuthSettings } from './parse-auth-settings.ts';

const minimal: AuthSettings = { production: false, session: { strategy: 'jwt' } };
const production: AuthSettings = {
  baseUrl: 'https://app.example.com/x',
  privateKey: 'private',
  publicKey: 'public',
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
      session: {
        ttl: 60_000,
        refreshTtl: 604_800_000,
        algorithm: 'RS256',
        cookie: { secure: true, sameSite: 'lax' },
      },
      emailPassword: { password: { minLength: 8, requireUppercase: false, requireNumbers: false } },
    });
  });

  it('takes issuer and audience from the origin of baseUrl unless they are given', () => {
    expect(parseAuthSettings(production)).toMatchObject({
      issuer: 'https://app.example.com',
      audience: 'https://app.example.com',
    });
    expect(parseAuthSettings({ ...production, issuer: 'i', audience: 'a' })).toMatchObject({
      issuer: 'i',
      audience: 'a',
    });
  });

  it('is production unless it is told otherwise, and then needs a base URL and both keys', () => {
    expect(problemsOf({ session: { strategy: 'jwt' } })).toEqual([
      'baseUrl: is required in production',
      'privateKey: a PEM is required in production',
      'publicKey: a PEM is required in production',
    ]);
  });

  it('reports every problem together, by the name of its setting', () => {
    const problems = problemsOf({
      ...minimal,
      baseUrl: 'ftp://x',
      session: { strategy: 'cookie', ttl: '1w', algorithm: 'HS256', cookie: { sameSite: 'maybe' } },
      emailPassword: { password: { minLength: 0 } },
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
        'emailPassword.password.minLength',
        'secrets.0',
      ]),
    );
  });

  it('refuses cookies that are not secure in production, and SameSite=None without Secure anywhere', () => {
    const cookie = { secure: false };
    expect(problemsOf({ ...production, session: { strategy: 'jwt', cookie } })).toEqual([
      'session.cookie.secure: can not be false in production',
    ]);
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', cookie } })).toEqual([]);
    expect(
      problemsOf({ ...minimal, session: { strategy: 'jwt', cookie: { secure: false, sameSite: 'none' } } }),
    ).toEqual(["session.cookie.sameSite: 'none' needs secure cookies"]);
  });

  it('refuses half a key pair in development', () => {
    expect(problemsOf({ ...minimal, privateKey: 'x' })).toEqual([
      'privateKey, publicKey: give both, or none to have them generated',
    ]);
  });

  it('refuses a JWT that outlives its session, and fractions of seconds', () => {
    expect(problemsOf({ ...minimal, session: { strategy: 'jwt', ttl: '2h', refreshTtl: '1h' } })).toEqual([
      'session.ttl: can not be longer than session.refreshTtl',
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

  it.each(['id', 'role', 'emailVerified', 'password', 'createdAt'])('refuses an own user field named %s', (name) => {
    expect(problemsOf({ ...minimal, userFields: { [name]: { schema: z.string() } } })).toEqual([
      `userFields.${name}: the name is reserved`,
    ]);
  });

  it('never prints what it was given', () => {
    const problems = problemsOf({ ...minimal, baseUrl: 'SECRET-1', privateKey: 42, secrets: ['SECRET-2', ''] });
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.join()).not.toMatch(/SECRET|42/);
  });
});
