import { z } from 'zod';
import { type OAuthProvider, optionalText, type ProviderSettings } from './provider.ts';

/**
 * Google. Its verified e-mail addresses are trusted.
 *
 * @see https://developers.google.com/identity/openid-connect/openid-connect
 * @example
 * ```ts
 * const google = googleProvider({ clientId: 'id', clientSecret: 'secret' });
 * ```
 */
export function googleProvider(settings: ProviderSettings): OAuthProvider {
  return {
    id: 'google',
    name: 'Google',
    settings,
    scopes: ['openid', 'email', 'profile'],
    endpoints: {
      authorizationUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      userInfoUrl: 'https://openidconnect.googleapis.com/v1/userinfo',
      issuer: 'https://accounts.google.com',
      jwksUrl: 'https://www.googleapis.com/oauth2/v3/certs',
    },
    isTrusted: true,
    usesPkce: true,
    idTokenAlgorithms: ['RS256'],
    async identify({ idTokenClaims }) {
      const raw = claims.parse(await idTokenClaims());
      const { sub, email, email_verified, name, picture } = raw;
      return { providerId: sub, email: email ?? null, isEmailVerified: email_verified === true, name, picture, raw };
    },
  };
}

const claims = z.looseObject({
  sub: z.string(),
  email: optionalText,
  email_verified: z.unknown().optional(),
  name: optionalText,
  picture: optionalText,
});
