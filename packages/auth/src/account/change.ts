import { CodedError, unauthenticated, validationFailed } from '@x/errors';
import type { SessionId, SessionWithUser, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { requireVerification } from '../email/email.ts';
import { allowMail, deliver } from '../email/mail.ts';
import { type StartedVerification, startVerification } from '../email/verification.ts';
import { aboutSession, type EventLog, loggedTransaction } from '../events/events.ts';
import { assertFresh, type Proof, proofFields, refuseBothProofs, withFreshProof } from '../mfa/proof.ts';
import { withPassword } from '../password/password.ts';
import { assertGoodPassword, passwordSchema } from '../password/policy.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import { type AccountDependencies, awaitsVerification } from './account.ts';

/** The current password of an account, and the new one. */
export interface PasswordChange {
  /** Absent if the account has no password yet. */
  readonly currentPassword?: string | undefined;
  readonly newPassword: string;
  /** Whether the account's other sessions end. Default true. */
  readonly revokeOtherSessions?: boolean;
}

/**
 * Changes the caller's password; the first password of an account takes a fresh proof in place of the current one. All
 * tokens mailed before (to reset it, to verify or to change the address) become void.
 *
 * @throws CodedError `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`
 * if the current password is wrong; `STEP_UP_REQUIRED`; `EMAIL_NOT_VERIFIED` for a first password that could not be
 * used to sign in; `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function changePassword(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<void> {
  const caller = await requireRefreshToken(deps.sessions, request);
  const change = parseInput(passwordChangeInput, input);
  const { currentPassword, newPassword, revokeOtherSessions: endsOthers } = change;
  const { email, passwordHash } = caller.user;
  if (currentPassword === undefined && passwordHash !== null) throw currentPasswordMissing();
  const assertGood = (): Promise<void> =>
    assertGoodPassword(deps.passwords.policy, { password: newPassword, email, path: ['newPassword'] });
  const store = async (expectedHash: string | null): Promise<true | null> => {
    const nextHash = await deps.passwords.hasher.hash(newPassword, request);
    const step = { sid: caller.session.id, expectedHash, nextHash, endsOthers };
    return loggedTransaction(deps, request, (stores, log) => storePassword(deps, stores, step, log));
  };
  if (currentPassword === undefined) {
    await assertMaySetFirst(deps, deps.stores, caller);
    await assertGood();
    if ((await store(null)) === null) throw currentPasswordMissing();
  } else {
    const proof = { caller, password: currentPassword, before: assertGood };
    await withPassword(deps.passwords, proof, request, store);
  }
}

function currentPasswordMissing(): Error {
  return validationFailed([
    { path: ['currentPassword'], code: 'invalid_type', message: 'The account has a password: send it.' },
  ]);
}

/**
 * Makes sure that the caller has proven who they are, and has an address to sign in with: that of an account by a
 * provider that is not trusted is none until it is proven.
 */
async function assertMaySetFirst(
  deps: AccountDependencies,
  stores: TransactionStores,
  caller: SessionWithUser,
): Promise<void> {
  await assertFresh(deps.mfa, stores, caller);
  const { user } = caller;
  if (user.loginEmail !== null && !awaitsVerification(deps, user)) return;
  const message = 'A password needs an address to sign in with: ask for a change to yours, and verify it.';
  throw new CodedError('EMAIL_NOT_VERIFIED', message);
}

/** The input of {@link changePassword}. */
export const passwordChangeInput: z.ZodType<PasswordChange & { readonly revokeOtherSessions: boolean }> =
  z.strictObject({
    currentPassword: passwordSchema.optional(),
    newPassword: passwordSchema,
    revokeOtherSessions: z.boolean().default(true),
  });

/** A password to store. */
interface NewPassword {
  readonly sid: SessionId;
  /** The hash that the account must still have; null for none. */
  readonly expectedHash: string | null;
  readonly nextHash: string;
  readonly endsOthers: boolean;
}

/** Returns null if the account has another password by now. */
async function storePassword(
  deps: AccountDependencies,
  stores: TransactionStores,
  step: NewPassword,
  log: EventLog,
): Promise<true | null> {
  const locked = await stores.sessions.lockActive(step.sid);
  if (locked === null) throw unauthenticated();
  const { userId, ...place } = aboutSession(locked);
  if (step.expectedHash === null) await assertMaySetFirst(deps, stores, locked);
  const cause = log.cause({ ...place, owner: locked.user });
  if (!(await stores.users.changePassword(userId, step, cause))) return null;
  await stores.passwordResets.remove(userId);
  // An attacker who knew the old password may have requested another address.
  await stores.emailVerifications.remove(userId);
  if (step.endsOthers) {
    await stores.sessions.revokeOthers(step.sid, log.cause({ ...place, reason: 'password_changed' }));
  }
  return true;
}

/** The address that an account is to get, and a proof, unless the session is fresh. */
export interface EmailChange extends Proof {
  /** Any spelling of the address. */
  readonly email: string;
}

/**
 * Requests another address for the caller. It becomes theirs once it is verified with the token that is mailed to it;
 * the old address is notified. Whether another user has the new address is not revealed: it gets no mail then, and
 * everything else is the same. The same holds if the address has had too many mails that other users caused. An address
 * that is already the caller's is verified again.
 *
 * @throws CodedError `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`; the errors of {@link withFreshProof}
 */
export async function changeEmail(deps: AccountDependencies, input: unknown, request: RequestContext): Promise<void> {
  requireVerification(deps.emails);
  const caller = await requireRefreshToken(deps.sessions, request);
  const { email: wanted, ...proof } = parseInput(emailChangeInput, input);
  const { user, started } = await withFreshProof(
    deps.mfa,
    { caller, proof },
    request,
    async ({ stores, log }, locked) => {
      const { user } = locked;
      const newEmail = user.loginEmail === wanted ? null : wanted;
      const about = aboutSession(locked);
      return { user, started: await startVerification(deps.emails, stores, { user, newEmail, about, log }) };
    },
  );
  deliver(deps.events, 'email_change', () => sendUnlessTaken(deps, { email: wanted, user, started }));
}

/** The input of {@link changeEmail}. */
export const emailChangeInput: z.ZodType<EmailChange> = z
  .strictObject({ email: emailSchema, ...proofFields })
  .check(refuseBothProofs)
  .meta({ maxProperties: 2 });

/** Runs after the response, so that the response takes equally long in all cases. */
async function sendUnlessTaken(
  { stores }: AccountDependencies,
  {
    email,
    user,
    started,
  }: {
    readonly email: string;
    readonly user: UserRecord;
    readonly started: StartedVerification;
  },
): Promise<void> {
  const holder = await stores.users.findByLoginEmail(email);
  const isTaken = holder !== null && holder.id !== user.id;
  if (!isTaken && (await allowMail(stores, email))) started.sendMail();
}
