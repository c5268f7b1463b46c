import { ConfigurationError, refuseUnknownOptions } from '@x/errors';
import { SignJWT } from 'jose/jwt/sign';
import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { parsePrivateKey } from '../../keys/parse-pem-key.ts';
import {
  type CreateClientSecret,
  type OAuthProvider,
  optionalText,
  type ProviderSettings,
  publicSettingNames,
} from './provider.ts';

/** How an app is registered at Apple. The client id is that of a Services ID. */
export interface AppleProviderSettings extends Omit<ProviderSettings, 'clientSecret'> {
  /** The ten characters of the developer team. */
  readonly teamId: string;
  /** The ten characters of the key for Sign in with Apple. */
  readonly keyId: string;
  /** The PEM of that key: the contents of its `.p8` file. */
  readonly privateKey: string;
}

/**
 * Apple. Its verified e-mail addresses are trusted; they may be relays of its own. The client secret is signed anew for
 * each call. Apple posts its response to the callback URL, which has to be https and public.
 *
 * @throws ConfigurationError naming every unknown setting, or the fault of the key; `createAuth` checks the others
 * @see https://developer.apple.com/documentation/signinwithapplerestapi
 */
export function appleProvider(options: AppleProviderSettings): OAuthProvider {
  const { teamId, keyId, privateKey, ...settings } = options;
  refuseUnknownOptions(options, { ...publicSettingNames, teamId, keyId, privateKey }, 'providers.apple');
  const parsed = parsePrivateKey({ name: 'providers.apple.privateKey', pem: privateKey, algorithm: 'ES256' });
  if (!parsed.ok) throw new ConfigurationError([parsed.problem]);
  const clientSecret = signClientSecret({ teamId, keyId, key: parsed.key, clientId: settings.clientId });
  return {
    id: 'apple',
    name: 'Apple',
    settings: { ...settings, clientSecret },
    scopes: ['openid', 'email'],
    endpoints: {
      authorizationUrl: 'https://appleid.apple.com/auth/authorize',
      tokenUrl: 'https://appleid.apple.com/auth/token',
      userInfoUrl: null,
      issuer: 'https://appleid.apple.com',
      jwksUrl: 'https://appleid.apple.com/auth/keys',
    },
    isTrusted: true,
    usesPkce: false,
    // Clients that ask for the address get the response in this mode only.
    responseMode: 'form_post',
    idTokenAlgorithms: ['RS256'],
    async identify({ idTokenClaims }) {
      const raw = claims.parse(await idTokenClaims());
      const { sub, email, email_verified } = raw;
      // Documented as a boolean or its text.
      const isEmailVerified = email_verified === true || email_verified === 'true';
      return { providerId: sub, email: email ?? null, isEmailVerified, raw };
    },
  };
}

/** How long a client secret is valid, in seconds. It is used at once. */
const secretSeconds = 300;

/** @see https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret */
function signClientSecret(registered: {
  readonly teamId: string;
  readonly keyId: string;
  readonly key: KeyObject;
  readonly clientId: string;
}): CreateClientSecret {
  const { teamId, keyId, key, clientId } = registered;
  return ({ issuer, now }) => {
    const issuedAt = Math.floor(now.getTime() / 1000);
    return new SignJWT({ iss: teamId, sub: clientId, aud: issuer, iat: issuedAt, exp: issuedAt + secretSeconds })
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .sign(key);
  };
}

const claims = z.looseObject({ sub: z.string(), email: optionalText, email_verified: z.unknown().optional() });
