import type { SessionId, UserId } from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { decodeJwt } from 'jose';
import { sign, type KeyObject } from 'node:crypto';
import { type KeyRing, loadKeyRing } from '../keys/key-ring.ts';
import { type AccessTokenClaims, fromPayload } from '../token/claims.ts';
import { type AccessTokenSubject, createAccessTokenIssuer } from '../token/issue.ts';
import type { AccessTokenVerifierOptions } from '../token/verify.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Members to set in a header or payload; `undefined` removes one. */
type Change = Readonly<Record<string, unknown>>;

/** A valid token, and the means to sign anything else a test needs. */
export interface AccessTokenForge {
  readonly keyRing: KeyRing;
  readonly clock: ManualClock;
  /** The options of a verifier that accepts {@link AccessTokenForge.token}. */
  readonly options: AccessTokenVerifierOptions;
  readonly token: string;
  readonly claims: AccessTokenClaims;
  readonly header: Change;
  signWithHeader(change: Change): string;
  signWithPayload(change: Change): string;
  /** Signs the two texts as they are, by default with the key that verifiers expect. */
  signTexts(header: string, payload: string, key?: KeyObject): string;
}

/** The subject of the valid token. */
export const subject: AccessTokenSubject = {
  sub: '5f0c6f6e-58b8-4a44-9d8e-2f1f8f3f2b11' as UserId,
  sid: '6ba7b810-9dad-11d1-80b4-00c04fd430c8' as SessionId,
  email: 'ada@example.com',
  emailVerified: true,
  role: 'user',
  tenantId: null,
  ver: 0,
  user: { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
  auth_time: 1_767_225_600,
  acl: { set: { a: [1] }, hash: 'x' },
  custom: { plan: 'pro', nested: { features: ['a'] } },
};

/** Creates a forge whose valid token was issued now, for 60 s. */
export async function createAccessTokenForge(keys: SigningKeys): Promise<AccessTokenForge> {
  const keyRing = await loadKeyRing(keys.source);
  const clock = new ManualClock();
  const options = { keyRing, issuer: 'https://app.example.com', audience: 'the-app', clock };
  const { token } = await createAccessTokenIssuer({ ...options, ttlSeconds: 60 }).issue(subject, nextDay(clock.now()));
  const header = { alg: keyRing.algorithm, kid: keyRing.kid, typ: 'JWT' };
  const payload = decodeJwt(token);
  const claims = fromPayload(payload);
  if (claims === null) throw new TypeError('The token that was issued has other claims.');

  const signTexts = (headerText: string, payloadText: string, key = keys.privateKey): string => {
    const input = `${toBase64url(headerText)}.${toBase64url(payloadText)}`;
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
    return `${input}.${signature.toString('base64url')}`;
  };
  return {
    keyRing,
    clock,
    options,
    token,
    claims,
    header,
    signTexts,
    signWithHeader: (change) => signTexts(JSON.stringify({ ...header, ...change }), JSON.stringify(payload)),
    signWithPayload: (change) => signTexts(JSON.stringify(header), JSON.stringify({ ...payload, ...change })),
  };
}

/** Encodes text as a part of a token. */
export function toBase64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

function nextDay(now: Date): Date {
  return new Date(now.getTime() + 86_400_000);
}
