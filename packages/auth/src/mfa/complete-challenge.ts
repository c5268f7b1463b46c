import { CodedError } from '@x/errors';
import type { Cause, CreatedSession, MfaRecord, TransactionStores, UserRecord } from '@x/store';
import { hashSecret } from '../crypto/hash.ts';
import { loggedTransaction } from '../events/events.ts';
import { consumeAttempt, refundUnlessWrong } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import {
  assertMaySignIn,
  completeSignIn,
  type PreparedSession,
  prepareSession,
  storeSession,
} from '../session/start.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import { type Challenge, clearedChallengeCookies, isPasswordUnchanged, readChallenge } from './challenge.ts';
import { codeInput, refuseCode, type UseCode, withCode } from './code.ts';
import { type MfaDependencies, requireMfa } from './mfa.ts';

/** A sign-in that was completed with a second factor. */
export interface ChallengePassed<Fields extends UserFields = NoFields> extends SignedIn<Fields> {
  /** The path of the app that the sign-in was started with, if any. */
  readonly redirectTo?: string;
}

/**
 * Completes a sign-in with the second factor, always with a new session. The challenge and the code are consumed in the
 * same transaction.
 *
 * @throws CodedError `SESSION_EXPIRED` if no valid challenge is presented; `MFA_INVALID_CODE`, `RATE_LIMITED`;
 * `FORBIDDEN` if the app refuses the user, whose code is then not consumed
 */
export async function completeChallenge(
  deps: MfaDependencies,
  input: unknown,
  request: RequestContext,
): Promise<ChallengePassed> {
  requireMfa(deps);
  const challenge = readChallenge(deps, request);
  if (challenge === null) throw challengeExpired();
  const { code } = parseInput(codeInput, input);
  const counted = await consumeAttempt(deps.limits, { limit: 'mfaChallenge', user: challenge.userId }, request);
  if (!(await claimAttempt(deps, challenge))) throw challengeExpired();
  const { user, factor } = await findOwner(deps, challenge);
  const passed = await refundUnlessWrong(deps.limits, counted, () =>
    withCode(deps, { factor, code }, request, (useCode) => signInWithCode(deps, { challenge, user, useCode }, request)),
  );
  if (passed !== null) return passed;
  throw await refuseCode(deps, { about: { userId: user.id, tenantId: user.tenantId }, code }, request);
}

/** How many codes may be tried on one challenge. */
const maxCodes = 5;

/** Each code takes one of the challenge's attempts. This is not a limit per time, so no configuration raises it. */
async function claimAttempt({ stores }: MfaDependencies, { id, expiresAt }: Challenge): Promise<boolean> {
  for (let attempt = 0; attempt < maxCodes; attempt += 1) {
    if (await stores.oneTimeIds.claim(toHash(`${id}.${attempt}`), expiresAt)) return true;
  }
  return false;
}

async function findOwner(
  { stores }: MfaDependencies,
  challenge: Challenge,
): Promise<{ readonly user: UserRecord; readonly factor: MfaRecord }> {
  const user = await stores.users.findById(challenge.userId);
  const factor = await stores.mfa.find(challenge.userId);
  if (user === null || user.disabledAt !== null || factor === null || !isPasswordUnchanged(challenge, user)) {
    throw challengeExpired();
  }
  return { user, factor };
}

/** A right code for a challenge that is still valid. */
interface Attempt {
  readonly challenge: Challenge;
  readonly user: UserRecord;
  readonly useCode: UseCode;
}

async function signInWithCode(
  deps: MfaDependencies,
  attempt: Attempt,
  request: RequestContext,
): Promise<ChallengePassed | null> {
  const { user, challenge } = attempt;
  const provider = challenge.identity?.provider ?? null;
  await assertMaySignIn(deps.sessions, { user, provider }, request);
  const prepared = await prepareSession(deps.sessions, user, request, { authenticatedBy: 'code', provider });
  const stored = await loggedTransaction(deps, request, async (stores, log) => {
    if (!(await attempt.useCode(stores))) return null;
    const cause = log.cause(provider === null ? {} : { detail: { provider } });
    return claimAndStore(stores, attempt, { prepared, cause });
  });
  if (stored === null) return null;
  const signedIn = await completeSignIn(deps.sessions, prepared, stored);
  const { redirectTo } = challenge;
  const cookies = [...signedIn.cookies, ...clearedChallengeCookies(deps)];
  return { ...signedIn, cookies, ...(redirectTo !== null && { redirectTo }) };
}

/** If this throws, the code can be used again. */
async function claimAndStore(
  stores: TransactionStores,
  { challenge, user }: Attempt,
  { prepared, cause }: { readonly prepared: PreparedSession; readonly cause: Cause },
): Promise<CreatedSession> {
  if (!(await stores.oneTimeIds.claim(toHash(challenge.id), challenge.expiresAt))) throw challengeExpired();
  const stored = await storeSession(stores, prepared, {
    cause,
    ...(challenge.passwordDigest !== null && { expectedPasswordHash: user.passwordHash }),
  });
  // The user's row is locked by now, so the identity can no longer be unlinked.
  if (stored === null || !(await isStillLinked(stores, challenge))) throw challengeExpired();
  return stored;
}

async function isStillLinked(stores: TransactionStores, { userId, identity }: Challenge): Promise<boolean> {
  if (identity === null) return true;
  return (await stores.oauthAccounts.findUserId(identity.provider, identity.providerId)) === userId;
}

function toHash(id: string): string {
  return hashSecret(`mfa-challenge.${id}`);
}

function challengeExpired(): CodedError {
  return new CodedError('SESSION_EXPIRED', 'The sign-in took too long. Start again.');
}
