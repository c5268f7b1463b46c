import { refuseUnknownOptions } from '@x/errors';
import { z } from 'zod';
import {
  type OAuthProvider,
  optionalText,
  type ProviderIdentity,
  type ProviderResponse,
  type ProviderSettings,
  providerSettingNames,
  type TrustSettings,
} from './provider.ts';

/** The settings of an OpenID Connect provider, which is discovered from its issuer. */
export interface OidcProviderSettings extends ProviderSettings, TrustSettings {
  /** Names it in paths and in the database: lower-case letters, digits and hyphens. */
  readonly id: string;
  /** The name shown to users. Default: the id. */
  readonly name?: string;
  /** Spelled exactly as in the provider's ID tokens. */
  readonly issuer: string;
  /** The algorithms that its ID tokens may be signed with, none of them symmetric. Default: all that jose supports. */
  readonly idTokenAlgorithms?: readonly string[];
}

/**
 * Any provider that supports OpenID Connect discovery.
 *
 * @throws ConfigurationError naming every unknown setting; `createAuth` checks the others
 * @see https://openid.net/specs/openid-connect-discovery-1_0.html
 * @example
 * ```ts
 * const issuer = 'https://login.example.com';
 * const company = oidcProvider({ id: 'company', issuer, clientId: 'id', clientSecret: 'secret' });
 * ```
 */
export function oidcProvider(options: OidcProviderSettings): OAuthProvider {
  const { id, name, trustEmail = false, idTokenAlgorithms, ...settings } = options;
  const known = { ...providerSettingNames, id, name, trustEmail, idTokenAlgorithms };
  refuseUnknownOptions(options, known, `providers.${id}`);
  return {
    id,
    name: name ?? id,
    settings,
    scopes: ['openid', 'email', 'profile'],
    endpoints: 'discovery',
    isTrusted: trustEmail,
    usesPkce: true,
    idTokenAlgorithms: idTokenAlgorithms ?? asymmetric,
    identify: identifyByOpenId,
  };
}

/** Finds out who signed in from the ID token, and from the user info if the ID token has no address. */
export async function identifyByOpenId(response: ProviderResponse): Promise<ProviderIdentity> {
  const idToken = claims.parse(await response.idTokenClaims());
  const { sub } = idToken;
  // Many providers leave the address out of the ID token.
  const raw = (!idToken.email && (await readUserInfo(response, sub))) || idToken;
  const { email, email_verified, name, picture } = raw;
  return { providerId: sub, email: email ?? null, isEmailVerified: email_verified === true, name, picture, raw };
}

const asymmetric = [
  ...['RS256', 'RS384', 'RS512'],
  ...['PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512'],
  ...['EdDSA', 'Ed25519'],
];

/** The claims that an ID token and the user info may have, and others. */
interface OpenIdClaims extends Readonly<Record<string, unknown>> {
  readonly sub: string;
  readonly email?: string | null | undefined;
  readonly email_verified?: unknown;
  readonly name?: string | null | undefined;
  readonly picture?: string | null | undefined;
}

const claims: z.ZodType<OpenIdClaims> = z.looseObject({
  sub: z.string(),
  email: optionalText,
  email_verified: z.unknown().optional(),
  name: optionalText,
  picture: optionalText,
});

/**
 * Reads the user info of whom an ID token names; null if there is none, or the provider refuses it.
 *
 * @throws TypeError if it is about another user: the access token may be another person's
 * @see OpenID Connect Core 1.0 section 5.3.2 for the comparison of `sub`
 */
export async function readUserInfo(
  { getJson, optional, endpoints: { userInfoUrl } }: ProviderResponse,
  sub: string,
): Promise<OpenIdClaims | null> {
  if (userInfoUrl === null) return null;
  const info = await optional(
    async () => claims.parse(await getJson(userInfoUrl)),
    'the user info could not be read: check userInfoUrl, and that the scopes of the provider have email',
  );
  if (info !== null && info.sub !== sub)
    throw new TypeError(
      'The user info is about another user: check that userInfoUrl and issuer are of the same provider.',
    );
  return info;
}
