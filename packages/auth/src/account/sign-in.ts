import { CodedError } from '@x/errors';
import type { CreatedSession, TransactionStores, UserId, UserRecord } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { type EventLog, loggedTransaction } from '../events/events.ts';
import { logFailedSignIn } from '../events/failed-sign-in.ts';
import { assertNoSecondFactor, type ChallengedSignIn, createChallenge, SecondFactorEnabled } from '../mfa/challenge.ts';
import { passwordSchema } from '../password/policy.ts';
import { consumeAttempt, refundUnlessWrong, refuseIfFull } from '../rate-limits/rate-limits.ts';
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
 * @throws CodedError `VALIDATION_FAILED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`; `FORBIDDEN` if the app refuses the
 * user; `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function signIn(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<SignedIn | ChallengedSignIn> {
  const credentials = parseInput(credentialsInput, input);
  await refuseIfFull(deps.limits, failure, request);
  const counted = await consumeAttempt(deps.limits, { limit: 'signin', email: credentials.email }, request);
  const signedIn = await refundUnlessWrong(deps.limits, counted, async () => {
    const attempt = await signInWithPassword(deps, credentials, request);
    if (!('account' in attempt)) return attempt;
    await countFailure(deps, { email: credentials.email, account: attempt.account }, request);
    return null;
  });
  if (signedIn === null) throw invalidCredentials();
  if ('challengeCookies' in signedIn) return signedIn;
  return completeSignIn(deps.sessions, signedIn.prepared, signedIn.stored);
}

/** A password that a caller sends instead of a session, and the user it should belong to. */
interface PasswordProof {
  readonly userId: UserId;
  readonly password: string;
}

/**
 * Makes sure that a password is that of a user, and returns the hash that it was verified against. Attempts count as
 * those to sign in.
 *
 * @throws CodedError `RATE_LIMITED`, `INVALID_CREDENTIALS`; `SERVICE_UNAVAILABLE` if too many passwords are waiting to
 * be hashed
 */
export async function assertPassword(
  deps: AccountDependencies,
  { userId, password }: PasswordProof,
  request: RequestContext,
): Promise<string> {
  const account = await deps.stores.users.findById(userId);
  const email = account?.loginEmail ?? account?.email ?? '';
  await refuseIfFull(deps.limits, failure, request);
  const counted = await consumeAttempt(deps.limits, { limit: 'signin', email }, request);
  const hash = await refundUnlessWrong(deps.limits, counted, async () => {
    const match = await deps.passwords.verifier.verify(account?.passwordHash ?? null, password, request);
    if (match === null || !hasPassword(account)) {
      await countFailure(deps, { email, account }, request);
      return null;
    }
    await refuseIfFull(deps.limits, failure, request);
    return account.passwordHash;
  });
  if (hash === null) throw invalidCredentials();
  return hash;
}

/** The error for a wrong address or password, which does not say which it is. */
export function invalidCredentials(): CodedError {
  return new CodedError('INVALID_CREDENTIALS', 'The e-mail address or the password is wrong.');
}

async function countFailure(
  deps: AccountDependencies,
  { email, account }: Refusal & { readonly email: string },
  request: RequestContext,
): Promise<void> {
  await consumeAttempt(deps.limits, failure, request);
  const { id: userId = null, tenantId = null } = account ?? {};
  await logFailedSignIn(deps, { email, userId, tenantId }, request);
}

/**
 * An attempt is counted for its network only after it has failed, so that users of a network who sign in at the same
 * time do not lock each other out. More attempts may run at once than are left. Those above the limit are refused as
 * such, and so is a right password once the limit is reached: an attacker learns nothing from either.
 */
const failure = { limit: 'failedSignin' } as const;

/** A sign-in whose session is stored. */
interface Opened {
  readonly prepared: PreparedSession;
  readonly stored: CreatedSession;
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
async function signInWithPassword(
  deps: AccountDependencies,
  credentials: Credentials,
  request: RequestContext,
): Promise<Opened | ChallengedSignIn | Refusal> {
  let account: UserRecord | null = null;
  let isAdmitted = false;
  for (let attempt = 0; attempt < 3; attempt++) {
    account = await deps.stores.users.findByLoginEmail(credentials.email);
    const storedHash = account?.passwordHash ?? null;
    const match = await deps.passwords.verifier.verify(storedHash, credentials.password, request);
    if (match === null || !hasPassword(account) || !maySignIn(deps, account)) return { account };
    await refuseIfFull(deps.limits, failure, request);
    const { hasher } = deps.passwords;
    const isOutdated = match === 'typed' || hasher.needsRehash(account.passwordHash);
    const nextHash = isOutdated ? await hasher.hash(credentials.password, request) : account.passwordHash;
    const challenged = await createChallenge(deps.mfa, account, { verifiedHash: nextHash }, request);
    if (challenged !== null) {
      if (await storeHash(deps.stores, account, nextHash)) return challenged;
      continue;
    }
    if (!isAdmitted) await assertMaySignIn(deps.sessions, { user: account, provider: null }, request);
    isAdmitted = true;
    const plan = { authenticatedBy: 'password', provider: null } as const;
    const prepared = await prepareSession(deps.sessions, account, request, plan);
    const stored = await storeIfCurrent(deps, { prepared, user: account, nextHash }, request);
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

/** A session for a user whose password was verified. */
interface VerifiedSignIn {
  readonly prepared: PreparedSession;
  readonly user: VerifiedUser;
  /** The hash that the user has from now on. */
  readonly nextHash: string;
}

/** Stores a session if the verified hash, or its replacement, is still the user's, and no second factor was enabled. */
async function storeIfCurrent(
  deps: AccountDependencies,
  { prepared, user, nextHash }: VerifiedSignIn,
  request: RequestContext,
): Promise<CreatedSession | null> {
  const store = async (stores: TransactionStores, log: EventLog): Promise<CreatedSession | null> => {
    if (!(await storeHash(stores, user, nextHash))) return null;
    const stored = await storeSession(stores, prepared, { cause: log.cause(), expectedPasswordHash: nextHash });
    if (stored !== null) await assertNoSecondFactor(deps.mfa, stores, user.id);
    return stored;
  };
  try {
    return await loggedTransaction(deps, request, store, { groupCommit: true });
  } catch (error) {
    if (error instanceof SecondFactorEnabled) return null;
    throw error;
  }
}

async function storeHash(stores: TransactionStores, user: VerifiedUser, nextHash: string): Promise<boolean> {
  const { id, passwordHash: expectedHash } = user;
  return nextHash === expectedHash || stores.users.rehashPassword(id, { expectedHash, nextHash });
}
