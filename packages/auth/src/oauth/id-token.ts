import type { JWTPayload } from 'jose';
import { type JWTVerifyGetKey, jwtVerify } from 'jose/jwt/verify';

/** What an ID token has to match. */
export interface ExpectedIdToken {
  readonly keys: JWTVerifyGetKey;
  readonly issuer: string;
  readonly clientId: string;
  readonly algorithms: readonly string[];
  /** The nonce sent by the flow. */
  readonly nonce: string;
  readonly now: Date;
}

/**
 * Verifies an ID token and returns its claims.
 *
 * @throws Error if anything is wrong with it; jose's errors contain the payload in a field, so do not log them whole
 * @see OpenID Connect Core 1.0 section 3.1.3.7
 */
export async function verifyIdToken(idToken: string, expected: ExpectedIdToken): Promise<JWTPayload> {
  const { keys, issuer, clientId, algorithms, nonce, now } = expected;
  const { payload } = await jwtVerify(idToken, keys, {
    algorithms: [...algorithms],
    issuer: acceptedIssuers(issuer),
    audience: clientId,
    currentDate: now,
    clockTolerance: leewaySeconds,
    requiredClaims: ['sub', 'iat', 'exp'],
  });
  if (typeof payload.exp !== 'number' || now.getTime() >= payload.exp * 1000) throw refusal('exp');
  // Any audience besides us is unknown to us.
  if ([payload.aud].flat().some((audience) => audience !== clientId)) throw refusal('aud');
  if (payload['azp'] !== undefined && payload['azp'] !== clientId) throw refusal('azp');
  if (payload['nonce'] !== nonce) throw refusal('nonce');
  return payload;
}

/** How far the provider's clock may be ahead of ours, for `nbf`. `exp` gets no leeway. */
const leewaySeconds = 5;

/** Google's documentation allows ID tokens to leave out the scheme. */
function acceptedIssuers(issuer: string): string[] {
  return issuer === 'https://accounts.google.com' ? [issuer, 'accounts.google.com'] : [issuer];
}

function refusal(claim: string): Error {
  return new Error(`The claim ${claim} of the ID token is wrong.`);
}
