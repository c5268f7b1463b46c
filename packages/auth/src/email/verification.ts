import { unauthenticated } from '@x/errors';
import type { Cause, TransactionStores, UserRecord } from '@x/store';
import { aboutSession, type EventLog, type EventSubject, loggedTransaction } from '../events/events.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';
import { loadActiveSession, requireJwtSession } from '../session/session.ts';
import { toUser } from '../user/user.ts';
import { type EmailDependencies, requireVerification } from './email.ts';
import { deliver } from './mail.ts';
import { createMailToken, tokenInvalid } from './mail-token.ts';

/** A stored verification whose mail is to be sent after the commit. */
export interface StartedVerification {
  /** Hands the token to the app, after the response. */
  sendMail(): void;
}

/**
 * Stores a token that proves a user's address, or the address that they want to change to; it replaces the previous
 * one. Runs in the caller's transaction.
 *
 * @param start.about - whom the event is about: the session that asks, if one does
 */
export async function startVerification(
  deps: EmailDependencies,
  stores: TransactionStores,
  { user, newEmail, about, log }: VerificationStart,
): Promise<StartedVerification> {
  const { tokenTtl, onSend } = requireVerification(deps);
  const { token, tokenHash } = createMailToken();
  const expiresAt = new Date(deps.stores.clock.now().getTime() + tokenTtl);
  await stores.emailVerifications.replace({ userId: user.id, tokenHash, email: user.email, newEmail, expiresAt });
  await log.append(
    stores,
    newEmail === null
      ? { ...about, type: 'email_verification.requested' }
      : { ...about, type: 'email_change.requested', detail: { newEmail }, owner: user },
  );
  // Only the app sees the address before it is proven.
  const recipient = toUser({ ...user, email: newEmail ?? user.email }, deps.config);
  return { sendMail: () => deliver(deps.events, 'email_verification', () => onSend(recipient, token)) };
}

/** A verification to start. */
interface VerificationStart {
  readonly user: UserRecord;
  /** Null for the user's own address. */
  readonly newEmail: string | null;
  readonly about: EventSubject;
  readonly log: EventLog;
}

/**
 * Sends the caller a new token, which voids the previous one. If the address is already verified, nothing is sent.
 *
 * @throws CodedError `UNAUTHENTICATED`; `RATE_LIMITED`
 */
export async function resendVerification(deps: EmailDependencies, request: RequestContext): Promise<void> {
  requireVerification(deps);
  const { sid, userId } = await requireJwtSession(deps.sessions, request.headers);
  await loadActiveSession(deps.sessions, sid);
  await consumeAttempt(deps.limits, { limit: 'resendVerification', user: userId }, request);
  const started = await loggedTransaction(deps, request, async (stores, log) => {
    const locked = await stores.sessions.lockActive(sid);
    if (locked === null) throw unauthenticated();
    const { user } = locked;
    const about = aboutSession(locked);
    return user.emailVerified ? null : startVerification(deps, stores, { user, newEmail: null, about, log });
  });
  started?.sendMail();
}

/**
 * Records that the holder of an account has proven its address, and runs the app's hook in the same transaction if that
 * is new.
 *
 * @throws CodedError `TOKEN_INVALID` if the address is no longer theirs
 */
export async function proveEmail(
  deps: EmailDependencies,
  stores: TransactionStores,
  { user, cause }: { readonly user: UserRecord; readonly cause: Cause },
): Promise<void> {
  const proven = await stores.users.proveEmail(user.id, user.email, cause);
  if (proven === null) throw tokenInvalid();
  if (user.emailProvenAt === null) await deps.hooks.onEmailProven(toUser(proven, deps.config), { stores });
}
