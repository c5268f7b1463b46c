import { CodedError } from '@x/errors';
import type { TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { publishEvents } from '../events/events.ts';
import { recordFailedSignIn } from '../events/failed-sign-in.ts';
import { assertNoSecondFactor, type ChallengedSignIn, createChallenge, SecondFactorEnabled } from '../mfa/challenge.ts';
import { passwordSchema } from '../password/policy.ts';
import { addressKey, consumeBoth, refundAttempt } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { SignedIn } from '../session/issue.ts';
import {
  completeSignIn,
  type PreparedSession,
  prepareSession,
  type StoredSession,
  storeSession,
} from '../session/start.ts';
import { type AccountDependencies, awaitsVerification } from './account.ts';

/** The credentials of a sign-in. */
export interface Credentials {
  /** Any spelling of the address; the canonical form counts. */
  readonly email: string;
  readonly password: string;
}

/** The input of a sign-in. */
export const credentialsInput: z.ZodType<Credentials> = z.strictObject({
  email: emailSchema,
  password: passwordSchema,
});

/**
 * An unknown address, a wrong password, an account without a password and a disabled account cannot be distinguished,
 * neither by the response nor by its timing. With generic sign-up, nor can an account whose address is not verified.
 *
 * @throws CodedError `VALIDATION_FAILED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`; `SERVICE_UNAVAILABLE` if too many
 * passwords are waiting to be hashed
 */
export async function signIn(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedIn | ChallengedSignIn> {
  const credentials = await parseInput(credentialsInput, input);
  const refund = await countSignIn(deps, credentials, request);
  const attempt = await openSession(deps, { credentials, refund }, request).catch(async (error: unknown) => {
    // Neither right nor wrong. What can't be refunded either is counted.
    await refund(deps.stores).catch(() => undefined);
    throw error;
  });
  if ('stored' in attempt) return completeSignIn(deps.sessions, attempt.prepared, attempt.stored);
  if ('challengeCookie' in attempt) return attempt;
  const { id: userId = null, tenantId = null } = attempt.account ?? {};
  const event = await recordFailedSignIn(deps.stores, { email: credentials.email, userId, tenantId }, request);
  if (event !== null) publishEvents(deps.events, [event]);
  throw new CodedError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong.');
}

/** Takes back what a sign-in was counted as for its network, of which only failures count. */
type Refund = (stores: TransactionStores) => Promise<void>;

/**
 * Counts a sign-in for its address, and for its network as a failure until it has succeeded: otherwise more could be
 * tried at once than may fail.
 */
async function countSignIn(
  deps: AccountDependencies,
  { email }: Credentials,
  request: RequestContext,
): Promise<Refund> {
  const failure = { limit: 'signin_failed', key: addressKey(request.ipAddress) } as const;
  const attempts = { first: { limit: 'signin', key: email }, second: failure } as const;
  const counted = await consumeBoth(deps.limits, attempts, request);
  return (stores) => refundAttempt(deps.limits, stores, failure, counted);
}

/** A sign-in that was counted. */
interface CountedSignIn {
  readonly credentials: Credentials;
  readonly refund: Refund;
}

/** A sign-in whose session is stored. */
interface Opened {
  readonly prepared: PreparedSession;
  readonly stored: StoredSession;
}

/** A refused sign-in, with the account that has the address, if there is one. */
interface Refusal {
  readonly account: UserRecord | null;
}

/**
 * Verifies the password and stores a session on condition that the verified hash is still current. Meanwhile a
 * concurrent sign-in may have rehashed the same password, or a second factor may have been turned on: either is tried
 * once more.
 */
async function openSession(
  deps: AccountDependencies,
  { credentials, refund }: CountedSignIn,
  request: RequestContext,
): Promise<Opened | ChallengedSignIn | Refusal> {
  let account: UserRecord | null = null;
  for (let attempt = 0; attempt < 3; attempt++) {
    account = await deps.stores.users.findByLoginEmail(credentials.email);
    const storedHash = account?.passwordHash ?? null;
    const isVerified = await deps.passwords.verifier.verify(storedHash, credentials.password, request);
    if (!isVerified || !hasPassword(account) || !maySignIn(deps, account)) return { account };
    const nextHash = await freshHash(deps, account, credentials, request);
    const challenged = await createChallenge(deps.mfa, account, { verifiedHash: nextHash }, request);
    if (challenged !== null) {
      if (!(await storeHash(deps.stores, account, nextHash))) continue;
      await refund(deps.stores);
      return challenged;
    }
    const prepared = await prepareSession(deps.sessions, account, request, { authenticatedBy: 'password' });
    const stored = await storeIfCurrent(deps, prepared, { user: account, nextHash, refund });
    if (stored !== null) return { prepared, stored };
  }
  return { account };
}

function maySignIn(deps: AccountDependencies, user: UserRecord): boolean {
  return user.disabledAt === null && !awaitsVerification(deps, user);
}

function hasPassword(user: UserRecord | null): user is VerifiedUser {
  return user !== null && user.passwordHash !== null;
}

type VerifiedUser = UserRecord & { readonly passwordHash: string };

/** Returns the hash that the user should have: a new one if the stored one was made with outdated parameters. */
async function freshHash(
  deps: AccountDependencies,
  user: VerifiedUser,
  { password }: Credentials,
  request: RequestContext,
): Promise<string> {
  return deps.passwords.hasher.needsRehash(user.passwordHash)
    ? deps.passwords.hasher.hash(password, request)
    : user.passwordHash;
}

/** Stores a session if the verified hash, or its replacement, is still the user's, and no second factor was turned on. */
async function storeIfCurrent(
  deps: AccountDependencies,
  prepared: PreparedSession,
  { user, nextHash, refund }: { readonly user: VerifiedUser; readonly nextHash: string; readonly refund: Refund },
): Promise<StoredSession | null> {
  const store = async (stores: TransactionStores): Promise<StoredSession | null> => {
    if (!(await storeHash(stores, user, nextHash))) return null;
    const terms = { eventType: 'sign_in.succeeded', expectedPasswordHash: nextHash } as const;
    const stored = await storeSession(stores, prepared, terms);
    if (stored === null) return null;
    await assertNoSecondFactor(deps.mfa, stores, user.id);
    // Last, because everybody who signs in from this network waits for it.
    await refund(stores);
    return stored;
  };
  try {
    return await deps.stores.transaction(store, { groupCommit: true });
  } catch (error) {
    if (error instanceof SecondFactorEnabled) return null;
    throw error;
  }
}

async function storeHash(stores: TransactionStores, user: VerifiedUser, nextHash: string): Promise<boolean> {
  const { id, passwordHash: expectedHash } = user;
  return nextHash === expectedHash || stores.users.changePassword(id, { expectedHash, nextHash });
}
