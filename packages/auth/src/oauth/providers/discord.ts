import { refuseUnknownOptions } from '@x/errors';
import { z } from 'zod';
import { type OAuthProvider, type ProviderSettings, providerSettingNames } from './provider.ts';

/**
 * Discord. Its e-mail addresses are not trusted.
 *
 * @throws ConfigurationError naming every unknown setting; `createAuth` checks the others
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export function discordProvider(settings: ProviderSettings): OAuthProvider {
  refuseUnknownOptions(settings, providerSettingNames, 'providers.discord');
  return {
    id: 'discord',
    name: 'Discord',
    settings,
    scopes: ['identify', 'email'],
    endpoints: {
      authorizationUrl: 'https://discord.com/oauth2/authorize',
      tokenUrl: 'https://discord.com/api/oauth2/token',
      userInfoUrl: 'https://discord.com/api/users/@me',
      issuer: 'https://discord.com',
      jwksUrl: null,
    },
    isTrusted: false,
    usesPkce: true,
    idTokenAlgorithms: [],
    async identify({ getJson, endpoints: { userInfoUrl } }) {
      const { id, email, verified } = user.parse(await getJson(`${userInfoUrl}`));
      return { providerId: id, email: email ?? null, isEmailVerified: verified === true };
    },
  };
}

const user = z.object({ id: z.string(), email: z.string().nullish(), verified: z.unknown().optional() });
