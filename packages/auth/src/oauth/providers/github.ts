import { z } from 'zod';
import { type OAuthProvider, optionalText, type ProviderSettings, type TrustSettings } from './provider.ts';

/**
 * GitHub. Its e-mail addresses are not trusted, unless the app says so. It has no PKCE for web flows and no ID tokens.
 *
 * @see https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 */
export function githubProvider(options: ProviderSettings & TrustSettings): OAuthProvider {
  const { trustEmail = false, ...settings } = options;
  return {
    id: 'github',
    name: 'GitHub',
    settings,
    scopes: ['read:user', 'user:email'],
    endpoints: {
      authorizationUrl: 'https://github.com/login/oauth/authorize',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      userInfoUrl: 'https://api.github.com/user',
      issuer: 'https://github.com/login/oauth',
      jwksUrl: null,
    },
    isTrusted: trustEmail,
    usesPkce: false,
    idTokenAlgorithms: [],
    async identify({ getJson, optional, endpoints: { userInfoUrl } }) {
      const raw = user.parse(await getJson(`${userInfoUrl}`));
      const { id, email, name, login, avatar_url: picture } = raw;
      const identity = { providerId: String(id), name: name ?? login, picture, raw };
      if (email && !trustEmail) return { ...identity, email, isEmailVerified: false };
      // Only this endpoint shows a private address, and whether one is verified.
      const listed = await optional(
        async () => emails.parse(await getJson(`${userInfoUrl}/emails`)),
        'a GitHub App needs the account permission "Email addresses" (read-only), an OAuth app the scope user:email',
      );
      const primary = listed?.find((each) => each.primary && each.verified);
      return { ...identity, email: primary?.email ?? email ?? null, isEmailVerified: primary !== undefined };
    },
  };
}

// A number here; servers compatible with its API may send text.
const user = z.looseObject({
  id: z.union([z.int().positive(), z.string().regex(/^\d{1,20}$/)]),
  email: optionalText,
  name: optionalText,
  login: optionalText,
  avatar_url: optionalText,
});

const emails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));
