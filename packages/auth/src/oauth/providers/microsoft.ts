import { z } from 'zod';
import { type OAuthProvider, optionalText, type ProviderSettings } from './provider.ts';

/**
 * Microsoft: work and school accounts of any organization, and personal ones (`common`). Its e-mail addresses are not
 * trusted, because the administrator of any organization can put another's into an account.
 *
 * For the accounts of one organization, use `oidcProvider` with its issuer.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/v2-protocols-oidc
 * @see https://learn.microsoft.com/entra/identity-platform/claims-validation
 */
export function microsoftProvider(settings: ProviderSettings): OAuthProvider {
  return {
    id: 'microsoft',
    name: 'Microsoft',
    settings,
    scopes: ['openid', 'email', 'profile'],
    endpoints: {
      authorizationUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
      tokenUrl: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
      userInfoUrl: 'https://graph.microsoft.com/oidc/userinfo',
      issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0',
      jwksUrl: 'https://login.microsoftonline.com/common/discovery/v2.0/keys',
    },
    isTrusted: false,
    usesPkce: true,
    idTokenAlgorithms: ['RS256'],
    async identify({ idTokenClaims }) {
      const raw = claims.parse(await idTokenClaims());
      const { sub, email, name } = raw;
      return { providerId: sub, email: email ?? null, isEmailVerified: false, name, raw };
    },
  };
}

const claims = z.looseObject({ sub: z.string(), email: z.string().nullish(), name: optionalText });
