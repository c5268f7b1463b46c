import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { appleProvider } from './apple.ts';
import { discordProvider } from './discord.ts';
import { githubProvider } from './github.ts';
import { gitlabProvider } from './gitlab.ts';
import { googleProvider } from './google.ts';
import { microsoftProvider } from './microsoft.ts';
import { oidcProvider } from './oidc.ts';

const settings = { clientId: 'id', clientSecret: 'secret' };

it('describes Google, GitHub and Discord as the specification does, at their public addresses', () => {
  expect(googleProvider(settings)).toMatchObject({
    id: 'google',
    scopes: ['openid', 'email', 'profile'],
    isTrusted: true,
    usesPkce: true,
    idTokenAlgorithms: ['RS256'],
    endpoints: {
      authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      issuer: 'https://accounts.google.com',
      jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
    },
  });
  expect(githubProvider(settings)).toMatchObject({
    id: 'github',
    scopes: ['read:user', 'user:email'],
    isTrusted: false,
    usesPkce: false,
    idTokenAlgorithms: [],
    endpoints: {
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      userInfoUrl: 'https://api.github.com/user',
    },
  });
  expect(discordProvider(settings)).toMatchObject({
    id: 'discord',
    scopes: ['identify', 'email'],
    isTrusted: false,
    usesPkce: true,
    idTokenAlgorithms: [],
    endpoints: {
      authorizationUrl: 'https://discord.com/oauth2/authorize',
      tokenUrl: 'https://discord.com/api/oauth2/token',
      userInfoUrl: 'https://discord.com/api/users/@me',
    },
  });
});

it('discovers an OIDC provider from its issuer, does not trust it by default, and accepts no shared-secret signatures', () => {
  const provider = oidcProvider({ id: 'company', issuer: 'https://login.example.com', ...settings });
  expect(provider).toMatchObject({ id: 'company', name: 'company', endpoints: 'discovery', isTrusted: false });
  expect(provider.idTokenAlgorithms.filter((algorithm) => /^HS|none/i.test(algorithm))).toEqual([]);
});

it.each([githubProvider, discordProvider, gitlabProvider])(
  'trusts a provider whose addresses the app trusts: %o',
  (provider) => {
    expect(provider({ ...settings, trustEmail: true })).toMatchObject({ isTrusted: true, settings });
  },
);

it('asks GitHub whether a public address is verified, if that counts', async () => {
  const answers: Readonly<Record<string, unknown>> = {
    'https://api.github.com/user': { id: 7, login: 'ada', email: 'ada@example.com' },
    'https://api.github.com/user/emails': [{ email: 'ada@example.com', primary: true, verified: true }],
  };
  const { endpoints, identify } = githubProvider({ ...settings, trustEmail: true });
  if (endpoints === 'discovery') throw new TypeError('GitHub is not discovered.');
  const response = {
    endpoints,
    idTokenClaims: () => Promise.reject(new Error('GitHub has no ID tokens.')),
    getJson: (url: string) => Promise.resolve(answers[url]),
    optional: <T>(read: () => Promise<T>) => read(),
  };
  expect(await identify(response)).toMatchObject({ email: 'ada@example.com', isEmailVerified: true });
  expect(await githubProvider(settings).identify(response)).toMatchObject({ isEmailVerified: false });
});

it('describes Microsoft, GitLab and Apple as their documentation does', () => {
  expect(microsoftProvider(settings)).toMatchObject({
    id: 'microsoft',
    scopes: ['openid', 'email', 'profile'],
    isTrusted: false,
    usesPkce: true,
    endpoints: {
      authorizationUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
    },
  });
  expect(gitlabProvider(settings)).toMatchObject({
    id: 'gitlab',
    scopes: ['openid', 'email', 'profile'],
    isTrusted: false,
    usesPkce: true,
    endpoints: { issuer: 'https://gitlab.com', jwksUrl: 'https://gitlab.com/oauth/discovery/keys' },
  });
  expect(appleProvider(apple('P-256'))).toMatchObject({
    id: 'apple',
    scopes: ['openid', 'email'],
    isTrusted: true,
    responseMode: 'form_post',
    endpoints: { issuer: 'https://appleid.apple.com', userInfoUrl: null },
  });
});

it('refuses a key of Apple that cannot sign, and prints nothing of it', () => {
  expect(() => appleProvider(apple('P-384'))).toThrow(/providers\.apple\.privateKey does not fit ES256/);
  expect(() => appleProvider({ ...apple('P-256'), privateKey: 'SECRET' })).toThrow(
    /^(?!.*SECRET).*must be a private key/s,
  );
  expect(() => appleProvider({ ...apple('P-256'), clientSecret: 'x' } as never)).toThrow(/clientSecret/);
});

function apple(namedCurve: string) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { clientId: 'com.example.web', teamId: 'TEAM123456', keyId: 'KEY1234567', privateKey: pem };
}
