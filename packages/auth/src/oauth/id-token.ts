import type { JSONWebKeySet, JWTPayload } from 'jose';
import { type JWTVerifyGetKey, jwtVerify } from 'jose/jwt/verify';

/** The keys of a provider: finds the one that a token names. */
export interface ProviderKeys extends JWTVerifyGetKey {
  /** Returns the keys as they were fetched last. */
  jwks(): JSONWebKeySet | undefined;
}

/** The values that an ID token has to match. */
export interface ExpectedIdToken {
  readonly keys: ProviderKeys;
  /** May contain `{tenantid}`, which stands for the tenant that the token names in `tid`. */
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
  const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
    algorithms: [...algorithms],
    audience: clientId,
    currentDate: now,
    clockTolerance: leewaySeconds,
    requiredClaims: ['sub', 'iat', 'exp'],
  });
  if (!acceptedIssuers(issuer, payload).includes(payload.iss)) throw refusal('iss');
  if (!mayKeySignFor(keys, protectedHeader.kid, { issuer, payload })) throw refusal('iss');
  if (typeof payload.exp !== 'number' || now.getTime() >= payload.exp * 1000) throw refusal('exp');
  // Any audience besides us is unknown to us.
  if ([payload.aud].flat().some((audience) => audience !== clientId)) throw refusal('aud');
  if (payload['azp'] !== undefined && payload['azp'] !== clientId) throw refusal('azp');
  if (payload['nonce'] !== nonce) throw refusal('nonce');
  return payload;
}

/** How far the provider's clock may be ahead of ours, for `nbf`. `exp` gets no leeway. */
const leewaySeconds = 5;

function acceptedIssuers(issuer: string, { tid }: JWTPayload): readonly unknown[] {
  // Google's documentation allows ID tokens to leave out the scheme.
  if (issuer === 'https://accounts.google.com') return [issuer, 'accounts.google.com'];
  if (!issuer.includes(anyTenant)) return [issuer];
  return typeof tid === 'string' && tenantId.test(tid) ? [issuer.replace(anyTenant, tid)] : [];
}

const anyTenant = '{tenantid}';

const tenantId = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Says whether the `iss` parameter of a redirect is an issuer of the provider. See RFC 9207 section 2.4. */
export function isIssuer(issuer: string, named: string): boolean {
  const [before, after] = issuer.split(anyTenant);
  if (before === undefined || after === undefined) return named === issuer;
  const isAround = named.startsWith(before) && named.endsWith(after);
  return isAround && tenantId.test(named.slice(before.length, named.length - after.length));
}

/**
 * A key may say which issuer it signs for. Without this check, an attacker with a key for personal accounts could sign
 * in as any user of any organization.
 *
 * @see https://learn.microsoft.com/entra/identity-platform/claims-validation
 */
function mayKeySignFor(
  keys: ProviderKeys,
  kid: string | undefined,
  { issuer, payload }: { readonly issuer: string; readonly payload: JWTPayload },
): boolean {
  const all: readonly SigningKey[] = keys.jwks()?.keys ?? [];
  const signing = all.filter((key) => kid === undefined || key.kid === kid);
  return signing.every(({ issuer: of }) => of === undefined || of === issuer || of === payload.iss);
}

/** A key as Microsoft publishes it. */
interface SigningKey {
  readonly kid?: string | undefined;
  readonly issuer?: unknown;
}

function refusal(claim: keyof typeof reasons): Error {
  return new Error(`The claim ${claim} of the ID token is wrong: ${reasons[claim]}.`);
}

/** The setting to check if the error affects all users; for a single user, it is an attempt to forge a token. */
const reasons = {
  iss: 'check the issuer of the provider',
  exp: 'check the clock of this machine',
  aud: 'check clientId, and that the provider names no other audience',
  azp: 'check clientId',
  nonce: 'the token was issued for another sign-in',
} as const;
