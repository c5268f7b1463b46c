import type { EventRecord, MailTokenRecord, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../events/events.ts';
import { assertMailToken, consumeMailToken, isTokenOf, tokenInvalid } from './mail.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { proveEmail, runProvenHook } from '../email-verification/prove-email.ts';
import { requireVerification } from '../email-verification/require-verification.ts';

/** The token that proves an address. */
export interface VerificationRequest {
  /** As mailed. */
  readonly token: string;
}

/**
 * Consumes a mailed token and proves an address with it: the user's own, or the one that they asked to change to, which
 * becomes theirs. Signs nobody in.
 *
 * @throws CodedError `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`
 */
export async function verifyEmail(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  requireVerification(auth);
  const { token } = await parseInput(verificationInput, input);
  // Checked before the transaction, which blocks other writers: anybody can send tokens without signing in.
  await assertMailToken(auth.stores.emailVerifications, token, auth.stores.clock.now());
  const event = await auth.stores.transaction(async (stores) => {
    const consumed = await consumeMailToken(stores.emailVerifications, token);
    const user = await stores.users.findById(consumed.userId);
    if (!isTokenOf(consumed, user)) throw tokenInvalid();
    return prove(auth, stores, { consumed, user }, request);
  });
  publishEvents(auth, [event]);
}

/** The input of {@link verifyEmail}. */
export const verificationInput: z.ZodType<VerificationRequest> = z.strictObject({ token: z.string() });

async function prove(
  auth: AuthContext,
  stores: TransactionStores,
  { consumed, user }: { readonly consumed: MailTokenRecord; readonly user: UserRecord },
  request: RequestContext,
): Promise<EventRecord> {
  const about = { userId: user.id, tenantId: user.tenantId };
  if (consumed.newEmail === null) {
    await proveEmail(auth, stores, user);
    return recordEvent(stores, { ...about, type: 'email.verified' }, request);
  }
  await changeEmail(auth, stores, user, consumed.newEmail);
  const detail = { from: user.email, to: consumed.newEmail };
  return recordEvent(stores, { ...about, type: 'email.changed', detail }, request);
}

/** Tokens sent to the old address become void, and JWTs that name it are refused. */
async function changeEmail(
  auth: AuthContext,
  stores: TransactionStores,
  user: UserRecord,
  email: string,
): Promise<void> {
  // Somebody else may have taken the address meanwhile; the holder of the token only learns that it is invalid.
  if ((await stores.users.claimEmail(user.id, email)) !== 'claimed') throw tokenInvalid();
  await stores.passwordResets.remove(user.id);
  await stores.sessions.raiseVer(user.id);
  await runProvenHook(auth, stores, user);
}
