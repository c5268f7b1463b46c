import { z } from 'zod';
import { type OAuthProvider, optionalText, type ProviderSettings, type TrustSettings } from './provider.ts';

/**
 * Discord. Its e-mail addresses are not trusted, unless the app says so.
 *
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export function discordProvider(options: ProviderSettings & TrustSettings): OAuthProvider {
  const { trustEmail = false, ...settings } = options;
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
    isTrusted: trustEmail,
    usesPkce: true,
    idTokenAlgorithms: [],
    async identify({ getJson, endpoints: { userInfoUrl } }) {
      const raw = user.parse(await getJson(`${userInfoUrl}`));
      const { id, email, verified, global_name, username, avatar } = raw;
      const picture = avatar && `https://cdn.discordapp.com/avatars/${id}/${avatar}.png`;
      const name = global_name ?? username;
      return { providerId: id, email: email ?? null, isEmailVerified: verified === true, name, picture, raw };
    },
  };
}

const user = z.looseObject({
  id: z.string(),
  email: optionalText,
  verified: z.unknown().optional(),
  global_name: optionalText,
  username: optionalText,
  avatar: optionalText,
});
