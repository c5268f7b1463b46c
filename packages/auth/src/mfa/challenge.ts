import { CodedError } from '@x/errors';
import { toUserId, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import { z } from 'zod';
import { hashSecret } from '../crypto/hash.ts';
import { randomToken } from '../crypto/random.ts';
import { logEvent } from '../events/events.ts';
import { readScopedCookie } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { cookieName, toScopedCookies } from '../session/cookies.ts';
import { hasSecondFactor, type MfaDependencies, requireMfa } from './mfa.ts';

/** The state of a sign-in that waits for the second factor. It is stored only in the browser, encrypted. */
export interface Challenge {
  /** Claimed when the challenge is used. */
  readonly id: string;
  readonly userId: UserId;
  /** From this moment on, the challenge is no longer valid. */
  readonly expiresAt: Date;
  /** Digest of the password hash that was verified; null if the first factor was not a password. */
  readonly passwordDigest: string | null;
  /** The identity that a provider vouched for; null if the first factor was not an identity. */
  readonly identity: Identity | null;
  readonly redirectTo: string | null;
}

/** A user's identity at a provider. */
interface Identity {
  readonly provider: string;
  readonly providerId: string;
}

/** A sign-in that waits for the second factor. */
export interface ChallengedSignIn {
  /** The `Set-Cookie` values of the challenge, which the browser presents together with the code. Secret. */
  readonly challengeCookies: readonly string[];
}

/** How the first factor was verified, and the state to keep until the second. */
interface ChallengeOptions {
  /** The hash that a password was verified against. Absent if the first factor was not a password. */
  readonly verifiedHash?: string;
  /** The linked identity that signed in. Absent if the first factor was not an identity. */
  readonly identity?: Identity;
  /** The validated path of the app to go to afterwards. */
  readonly redirectTo?: string;
}

/**
 * Builds the challenge that replaces a session until the second factor is verified, and logs it. Null if the user has
 * no second factor, or the app does not use them.
 */
export async function createChallenge(
  deps: MfaDependencies,
  { id: userId, tenantId }: UserRecord,
  { verifiedHash, identity, redirectTo }: ChallengeOptions,
  request: RequestContext,
): Promise<ChallengedSignIn | null> {
  if (!(await hasSecondFactor(deps, deps.stores, userId))) return null;
  const content: Content = {
    id: randomToken(16),
    userId,
    expiresAt: deps.stores.clock.now().getTime() + maxAgeSeconds * 1000,
    passwordDigest: verifiedHash === undefined ? null : hashSecret(verifiedHash),
    identity: identity ? { provider: identity.provider, providerId: identity.providerId } : null,
    redirectTo: redirectTo ?? null,
  };
  await logEvent(deps, { type: 'mfa.challenged', userId, tenantId }, request);
  const sealed = requireMfa(deps).challenges.seal(JSON.stringify(content));
  return { challengeCookies: toChallengeCookies(deps, sealed, maxAgeSeconds) };
}

/** Builds the error for a sign-in that needs the second factor. */
export function mfaRequired(): CodedError {
  return new CodedError('MFA_REQUIRED', 'A code is required to complete the sign-in.');
}

/**
 * Makes sure that a session without a second factor belongs to a user who has none. Runs in the transaction that stores
 * the session, after that step, so that it sees a second factor that was turned on since the first one was verified.
 *
 * @throws SecondFactorEnabled
 */
export async function assertNoSecondFactor(
  deps: MfaDependencies,
  stores: TransactionStores,
  userId: UserId,
): Promise<void> {
  if (await hasSecondFactor(deps, stores, userId)) throw new SecondFactorEnabled();
}

/** Thrown if a second factor was turned on since the first one was verified, to undo all of the sign-in. */
export class SecondFactorEnabled extends Error {
  override readonly name = 'SecondFactorEnabled';
}

/** Reads the challenge that a request presents; null if there is none, or it is not ours or has expired. */
export function readChallenge(deps: MfaDependencies, { headers }: RequestContext): Challenge | null {
  const sealed = readScopedCookie(headers, cookieName(deps.config, 'mfa'));
  const text = sealed === null ? null : requireMfa(deps).challenges.open(sealed);
  if (text === null) return null;
  const { data } = schema.safeParse(JSON.parse(text));
  if (data === undefined) return null;
  const challenge = { ...data, userId: toUserId(data.userId), expiresAt: new Date(data.expiresAt) };
  return deps.stores.clock.now() < challenge.expiresAt ? challenge : null;
}

/** Says whether the password of a challenge is still the user's, if the first factor was one. */
export function isPasswordUnchanged({ passwordDigest }: Challenge, { passwordHash }: UserRecord): boolean {
  return passwordDigest === null || (passwordHash !== null && passwordDigest === hashSecret(passwordHash));
}

/** Builds the `Set-Cookie` values that clear a challenge. */
export function clearedChallengeCookies(deps: Pick<MfaDependencies, 'config'>): readonly string[] {
  return toChallengeCookies(deps, '', 0);
}

/** How long a challenge waits for its code. */
const maxAgeSeconds = 300;

/** Only we have the key, but another version of this package may have written a different format. */
const schema = z.object({
  id: z.string(),
  userId: z.string(),
  expiresAt: z.number(),
  passwordDigest: z.string().nullable(),
  identity: z.object({ provider: z.string(), providerId: z.string() }).nullable(),
  redirectTo: z.string().nullable(),
});

type Content = z.output<typeof schema>;

/** Always Lax, even if the session cookies are Strict: redirects from OAuth providers end here, too. */
function toChallengeCookies(
  { config }: Pick<MfaDependencies, 'config'>,
  value: string,
  maxAge: number,
): readonly string[] {
  return toScopedCookies(config, { part: 'mfa', value, maxAge, path: `${config.basePath}/mfa`, sameSite: 'lax' });
}
