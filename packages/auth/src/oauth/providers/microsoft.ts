import { z } from 'zod';
import { readUserInfo } from './oidc.ts';
import { type OAuthProvider, optionalText, type ProviderSettings } from './provider.ts';

/**
 * Microsoft: work and school accounts of any organization, and personal ones (`common`). Its e-mail addresses are not
 * trusted, because the administrator of any organization can put another's into an account. Accounts of organizations
 * often have no `email` claim: then the address comes from the user info, or is the name that they sign in by.
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
    async identify(response) {
      const raw = claims.parse(await response.idTokenClaims());
      const { sub, name, preferred_username: userName } = raw;
      const email = raw.email || (await readUserInfo(response, sub))?.email || userName;
      return { providerId: sub, email: email ?? null, isEmailVerified: false, name, raw };
    },
  };
}

const claims = z.looseObject({
  sub: z.string(),
  email: optionalText,
  name: optionalText,
  // In the form of an address, except for phone numbers. It may change, and it is not verified.
  preferred_username: optionalText,
});
