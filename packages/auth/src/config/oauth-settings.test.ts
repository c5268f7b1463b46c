import { ConfigurationError } from '@x/errors';
import { expect, it } from 'vitest';
import { githubProvider } from '../oauth/providers/github.ts';
import { googleProvider } from '../oauth/providers/google.ts';
import { oidcProvider } from '../oauth/providers/oidc.ts';
import type { OAuthProvider } from '../oauth/providers/provider.ts';
import type { AuthSettings } from './auth-settings.ts';
import { parseAuthSettings } from './parse-auth-settings.ts';

const client = { clientId: 'id', clientSecret: 'secret' };
const minimal: AuthSettings = {
  production: false,
  baseUrl: 'http://localhost:3000',
  session: { strategy: 'jwt' },
  oauthEncryptionKey: 'any text',
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

it('fills in the defaults of a provider, and lets settings override them', () => {
  const { providers, ...settings } = parseAuthSettings({
    ...minimal,
    providers: [
      googleProvider(client),
      githubProvider({ ...client, scopes: ['user'], timeout: '2s', tokenUrl: 'https://ghe.example.com/token' }),
    ],
  });
  expect(providers).toMatchObject([
    { id: 'google', ...client, scopes: ['openid', 'email', 'profile'], timeout: 10_000, overrides: {} },
    { id: 'github', scopes: ['user'], timeout: 2000, overrides: { tokenUrl: 'https://ghe.example.com/token' } },
  ]);
  expect(settings).toMatchObject({
    oauthEncryptionKey: ['any text'],
    oauthSuccessRedirect: '/',
    oauthErrorRedirect: '/auth/error',
    mfaRedirect: '/mfa',
  });
});

it('accepts an app with neither a provider nor a key', () => {
  expect(parseAuthSettings({ production: false, session: { strategy: 'jwt' } }).providers).toEqual([]);
});

it('reports every problem of every provider in one error, and prints no secret', () => {
  const bad = { clientId: '', clientSecret: '', timeout: 'soon', tokenUrl: 'hunter2', scopes: ['a b'] } as never;
  const problems = problemsOf({
    ...minimal,
    oauthEncryptionKey: '',
    oauthErrorRedirect: '//evil.example.com',
    session: { strategy: 'cookie' },
    providers: [googleProvider(bad), oidcProvider({ ...client, id: 'No Name', issuer: undefined as never })],
  });
  const named = problems.map((problem) => problem.split(': ')[0]);
  expect(named).toEqual(
    expect.arrayContaining([
      'session.strategy',
      'oauthEncryptionKey',
      'oauthErrorRedirect',
      'providers.google.clientId',
      'providers.google.clientSecret',
      'providers.google.timeout',
      'providers.google.tokenUrl',
      'providers.google.scopes.0',
      'providers.No Name',
      'providers.No Name.issuer',
    ]),
  );
  expect(problems.join()).not.toContain('hunter2');
});

it('requires an encryption key and a redirect URL if there is a provider', () => {
  const providers = [googleProvider(client)];
  expect(problemsOf({ production: false, session: { strategy: 'jwt' }, providers })).toEqual([
    'oauthEncryptionKey: is required with providers',
    'baseUrl: is required with providers that have no redirectUrl',
  ]);
  const own = [googleProvider({ ...client, redirectUrl: 'https://app.example.com/callback' })];
  expect(problemsOf({ ...minimal, baseUrl: undefined, providers: own })).toEqual([]);
  expect(problemsOf({ ...minimal, oauthEncryptionKey: [], providers })).toHaveLength(1);
  expect(problemsOf({ ...minimal, oauthEncryptionKey: ['new', ''], providers })).toHaveLength(1);
});

it('refuses a duplicate provider and a value that is no provider', () => {
  expect(problemsOf({ ...minimal, providers: [googleProvider(client), googleProvider(client)] })).toEqual([
    'providers.google: is listed twice: give one of them another id',
  ]);
  for (const provider of [null, 'google', {}, { id: 'google', ...client }] as unknown as OAuthProvider[]) {
    expect(problemsOf({ ...minimal, providers: [provider] })[0]).toContain('must be a provider');
  }
  for (const id of ['', 'A', '1', 'a/b', '__proto__', 'a'.repeat(33)]) {
    const provider = oidcProvider({ ...client, id, issuer: 'https://login.example.com' });
    expect(problemsOf({ ...minimal, providers: [provider] }).join()).toContain('the id must be');
  }
});

it.each([['/', '/welcome?a=1#b', 'https://spa.example.com/', 'http://localhost:5173/x']])(
  'accepts the redirect %s',
  (...targets) => {
    for (const target of targets) expect(problemsOf({ ...minimal, oauthSuccessRedirect: target })).toEqual([]);
  },
);

it.each(['', 'welcome', '//a', '/\\a', 'javascript:alert(1)', 'https:\\\\a', 'https://', '/a\nb', 'https://a\r\nb'])(
  'refuses the redirect %j',
  (target) => {
    for (const name of ['oauthSuccessRedirect', 'oauthErrorRedirect', 'mfaRedirect']) {
      expect(problemsOf({ ...minimal, [name]: target })).toHaveLength(1);
    }
  },
);
