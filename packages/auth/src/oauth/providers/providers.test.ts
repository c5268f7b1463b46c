import { expect, it } from 'vitest';
import { discordProvider } from './discord.ts';
import { githubProvider } from './github.ts';
import { googleProvider } from './google.ts';
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
