import type { MailTokenRecord, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { requireVerification } from '../email/email.ts';
import { assertMailToken, consumeMailToken, isTokenOf, tokenInvalid } from '../email/mail-token.ts';
import { proveEmail } from '../email/verification.ts';
import { type EventLog, loggedTransaction } from '../events/events.ts';
import { passwordSchema } from '../password/policy.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { findJwtSession, type PresentedSession } from '../session/session.ts';
import type { AccountDependencies } from './account.ts';
import { assertPassword, invalidCredentials } from './sign-in.ts';

/** The token that verifies an address. */
export interface VerificationRequest {
  /** As mailed. */
  readonly token: string;
  /** The password of the account: a proof that its holder sends the token, besides a session of theirs. */
  readonly password?: string | undefined;
}

/** The input of {@link verifyEmail}. */
export const verificationInput: z.ZodType<VerificationRequest> = z.strictObject({
  token: z.string(),
  password: passwordSchema.optional(),
});

/** The proof that a token is sent by the holder of its account. */
interface HolderProof {
  /** That of the request. */
  readonly session: PresentedSession | null;
  /** The hash that a password was verified against. */
  readonly passwordHash: string | null;
}

/**
 * Consumes a mailed token and verifies an address with it: the user's own, or the one that they asked to change to,
 * which becomes theirs. Starts no session.
 *
 * The owner of an address may click the link in a mail although an attacker signed up with that address. So the address
 * counts as proven only if the request also has a session of the account, or its password.
 *
 * @throws CodedError `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`; `INVALID_CREDENTIALS` or `RATE_LIMITED` for
 * a wrong password
 */
export async function verifyEmail(deps: AccountDependencies, input: unknown, request: RequestContext): Promise<void> {
  requireVerification(deps);
  const { token, password } = parseInput(verificationInput, input);
  // Checked before the transaction, which blocks other writers: any client can send tokens without signing in.
  const { userId } = await assertMailToken(deps.stores.emailVerifications, token, deps.stores.clock.now());
  const proof = {
    session: await findJwtSession(deps.sessions, request.headers),
    passwordHash: password === undefined ? null : await assertPassword(deps, { userId, password }, request),
  };
  await loggedTransaction(deps, request, async (stores, log) => {
    const consumed = await consumeMailToken(stores.emailVerifications, token);
    const user = await stores.users.findById(consumed.userId);
    if (!isTokenOf(consumed, user)) throw tokenInvalid();
    await useToken(deps, stores, { consumed, user, isByHolder: await isByHolder(stores, user, proof), log });
  });
}

/** @throws CodedError `INVALID_CREDENTIALS` if the password has been changed since it was verified */
async function isByHolder(
  { sessions }: TransactionStores,
  user: UserRecord,
  { session, passwordHash }: HolderProof,
): Promise<boolean> {
  if (passwordHash !== null && passwordHash !== user.passwordHash) throw invalidCredentials();
  if (passwordHash !== null) return true;
  return session?.userId === user.id && (await sessions.lockActive(session.sid)) !== null;
}

interface TokenUse {
  readonly consumed: MailTokenRecord;
  readonly user: UserRecord;
  readonly isByHolder: boolean;
  readonly log: EventLog;
}

async function useToken(
  deps: AccountDependencies,
  stores: TransactionStores,
  { consumed: { newEmail }, user, isByHolder: isProven, log }: TokenUse,
): Promise<void> {
  const holder = newEmail === null ? user : await replaceEmail(stores, { user, newEmail, log });
  if (isProven) await proveEmail(deps.emails, stores, { user: holder, cause: log.cause() });
  else if (newEmail === null) await verifyOwn(stores, { user, log });
}

type OwnEmail = Pick<TokenUse, 'user' | 'log'>;

async function verifyOwn({ users }: TransactionStores, { user: { id, email }, log }: OwnEmail): Promise<void> {
  if ((await users.verifyEmail(id, email, log.cause())) === null) throw tokenInvalid();
}

/** Tokens sent to the old address become void, and JWTs that name it are refused. */
async function replaceEmail(
  stores: TransactionStores,
  { user: owner, newEmail, log }: OwnEmail & { readonly newEmail: string },
): Promise<UserRecord> {
  const { id } = owner;
  // Another user may have taken the address meanwhile; the holder of the token only learns that the token is invalid.
  if ((await stores.users.claimEmail(id, newEmail, log.cause({ owner }))) !== 'claimed') throw tokenInvalid();
  await stores.passwordResets.remove(id);
  await stores.sessions.bumpTokenVersion(id);
  const user = await stores.users.findById(id);
  if (user === null) throw tokenInvalid();
  return user;
}
