import type { JWTPayload } from 'jose';
import { type JWTVerifyGetKey, jwtVerify } from 'jose/jwt/verify';

/** What an ID token has to agree with. */
export interface IdTokenTerms {
  readonly keys: JWTVerifyGetKey;
  /** The spellings that the provider has for itself. */
  readonly issuers: readonly string[];
  readonly clientId: string;
  readonly algorithms: readonly string[];
  /** What the flow sent along. */
  readonly nonce: string;
  readonly now: Date;
}

/** How far the provider's clock may be behind ours, for `nbf`. None is granted on `exp`. */
const leewaySeconds = 5;

/**
 * Verifies an ID token and returns its claims.
 *
 * @throws Error where anything of it is wrong; jose's have the payload in a field, so they are not for the log
 * @see OpenID Connect Core 1.0 section 3.1.3.7
 */
export async function verifyIdToken(idToken: string, terms: IdTokenTerms): Promise<JWTPayload> {
  const { keys, issuers, clientId, algorithms, nonce, now } = terms;
  const { payload } = await jwtVerify(idToken, keys, {
    algorithms: [...algorithms],
    issuer: [...issuers],
    audience: clientId,
    currentDate: now,
    clockTolerance: leewaySeconds,
    requiredClaims: ['sub', 'iat', 'exp'],
  });
  if (typeof payload.exp !== 'number' || now.getTime() >= payload.exp * 1000) throw refusal('exp');
  // An audience beside us is somebody whom we don't know.
  if ([payload.aud].flat().some((audience) => audience !== clientId)) throw refusal('aud');
  if (payload['azp'] !== undefined && payload['azp'] !== clientId) throw refusal('azp');
  if (payload['nonce'] !== nonce) throw refusal('nonce');
  return payload;
}

function refusal(claim: string): Error {
  return new Error(`The claim ${claim} of the ID token is wrong.`);
}
