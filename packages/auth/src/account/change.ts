import { unauthenticated } from '@x/errors';
import type { EventRecord, SessionId, TransactionStores } from '@x/store';
import { z } from 'zod';
import { emailSchema } from '../email/canonicalize-email.ts';
import { requireVerification } from '../email/email.ts';
import { deliver } from '../email/mail.ts';
import { type StartedVerification, startVerification } from '../email/verification.ts';
import { aboutSession, publishEvents, recordEvent, recordRevocation } from '../events/events.ts';
import { type FreshProof, proofFields, requireOneProof, withReauthentication } from '../mfa/reauthentication.ts';
import { confirmPassword, wrongPassword } from '../password/password.ts';
import { assertGoodPassword, passwordSchema } from '../password/policy.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireActiveSession, requireClaims } from '../session/session.ts';
import { toUser } from '../user/user.ts';
import type { AccountDependencies } from './account.ts';

/** The current password of an account, and the new one. */
export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
  /** Whether the account's other sessions end. Default true. */
  readonly revokeOtherSessions?: boolean;
}

/**
 * Changes the caller's password. All tokens mailed before (to reset it, to verify or to change the address) become
 * void.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS` if the current
 * password is wrong; `SERVICE_UNAVAILABLE` if too many passwords are waiting to be hashed
 */
export async function changePassword(
  deps: AccountDependencies,
  input: unknown,
  request: RequestContext,
): Promise<void> {
  const claims = await requireClaims(deps.sessions, request.headers);
  const change = await parseInput(passwordChangeInput, input);
  await requireActiveSession(deps.sessions, claims.sid);
  await consumeAttempt(deps.limits, { limit: 'password', key: claims.sub }, request);
  assertGoodPassword(change.newPassword, deps.passwords.policy, ['newPassword']);
  const expectedHash = await confirmPassword(deps.passwords, claims, change.currentPassword, request);
  const nextHash = await deps.passwords.hasher.hash(change.newPassword);
  const step = { sid: claims.sid, expectedHash, nextHash, endsOthers: change.revokeOtherSessions };
  publishEvents(deps.events, await deps.stores.transaction((stores) => storePassword(stores, step, request)));
}

/** The input of {@link changePassword}. */
export const passwordChangeInput: z.ZodType<Required<PasswordChange>> = z.strictObject({
  currentPassword: passwordSchema,
  newPassword: passwordSchema,
  revokeOtherSessions: z.boolean().default(true),
});

async function storePassword(
  stores: TransactionStores,
  step: {
    readonly sid: SessionId;
    readonly expectedHash: string;
    readonly nextHash: string;
    readonly endsOthers: boolean;
  },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const locked = await stores.sessions.lockActive(step.sid);
  if (locked === null) throw unauthenticated();
  const { id: userId } = locked.user;
  if (!(await stores.users.changePassword(userId, step))) throw wrongPassword();
  await stores.passwordResets.remove(userId);
  // Whoever knew the old password may have requested another address.
  await stores.emailVerifications.remove(userId);
  const about = aboutSession(locked);
  const event = await recordEvent(stores, { ...about, type: 'password.changed' }, request);
  const ended = step.endsOthers ? ((await stores.sessions.revokeOthers(step.sid)) ?? []) : [];
  return [event, ...(await recordRevocation(stores, { ...about, ended, reason: 'password_changed' }, request))];
}

/** The address that an account is to get, and exactly one of password and code. */
export interface EmailChange extends FreshProof {
  /** Any spelling of the address. */
  readonly email: string;
}

/**
 * Requests another address for the caller. It becomes theirs once it is verified with the token that is mailed to it;
 * the old address is notified. Whether somebody else has the new address is not revealed: it gets no mail then, and
 * everything else is the same. An address that is already the caller's is verified again.
 *
 * @throws CodedError `UNAUTHENTICATED`, `VALIDATION_FAILED`, `RATE_LIMITED`; `INVALID_CREDENTIALS`
 */
export async function changeEmail(deps: AccountDependencies, input: unknown, request: RequestContext): Promise<void> {
  const { onChangeRequested } = requireVerification(deps.emails);
  const claims = await requireClaims(deps.sessions, request.headers);
  const { email: wanted, ...proof } = await parseInput(emailChangeInput, input);
  const { user, newEmail, started } = await withReauthentication(
    deps.mfa,
    { claims, proof },
    request,
    async (stores, { user }) => {
      const newEmail = user.loginEmail === wanted ? null : wanted;
      const started = await startVerification(deps.emails, stores, { user, newEmail }, request);
      return { outcome: { user, newEmail, started }, events: started.events };
    },
  );
  if (newEmail === null) return started.sendMail();
  deliver(deps.events, 'email_change', () => sendUnlessTaken(deps, { email: newEmail, started }));
  deliver(deps.events, 'email_change_notice', () => onChangeRequested(toUser(user, deps.config), newEmail));
}

/** The input of {@link changeEmail}. */
export const emailChangeInput: z.ZodType<EmailChange> = requireOneProof(
  z.strictObject({ email: emailSchema, ...proofFields }),
);

/** Runs after the response, so that the response takes equally long in both cases. */
async function sendUnlessTaken(
  deps: AccountDependencies,
  { email, started }: { readonly email: string; readonly started: StartedVerification },
): Promise<void> {
  if ((await deps.stores.users.findByLoginEmail(email)) === null) started.sendMail();
}
