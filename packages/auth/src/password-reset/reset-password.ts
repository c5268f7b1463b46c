import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { password } from '../account/credentials.ts';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import { assertMailToken, consumeMailToken, isTokenOf, tokenInvalid } from '../mail/mail-token.ts';
import { assertGoodPassword } from '../password/password-policy.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireReset } from './require-reset.ts';

/** A token, and the password that it is to set. */
export interface PasswordReset {
  /** As the mail carried it. */
  readonly token: string;
  readonly password: string;
}

/**
 * Sets a password by a mailed token, which is used up together with it. It proves the address that the mail went to, ends
 * the sessions, and signs nobody in. Identities that were linked while nobody had proven the address are unlinked. A password that is refused leaves the token as it was.
 *
 * @throws CodedError `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`; `SERVICE_UNAVAILABLE` where too many passwords
 * wait to be hashed
 */
export async function resetPassword(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  requireReset(auth);
  const reset = await parseInput(passwordResetInput, input);
  assertGoodPassword(reset.password, auth.passwordPolicy, ['password']);
  // Before the hash: it costs too much for somebody who only guesses tokens.
  await assertMailToken(auth.stores.passwordResets, reset.token, auth.stores.clock.now());
  const passwordHash = await auth.hasher.hash(reset.password);
  const events = await auth.stores.transaction(async (stores) => {
    const consumed = await consumeMailToken(stores.passwordResets, reset.token);
    const user = await stores.users.findById(consumed.userId);
    if (!isTokenOf(consumed, user)) throw tokenInvalid();
    return setPassword(auth, stores, { user, passwordHash }, request);
  });
  publishEvents(auth, events);
}

/** The input of {@link resetPassword}. */
export const passwordResetInput: z.ZodType<PasswordReset> = z.strictObject({ token: z.string(), password });

async function setPassword(
  auth: AuthContext,
  stores: TransactionStores,
  { user, passwordHash }: { readonly user: UserRecord; readonly passwordHash: string },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const { id: userId, tenantId } = user;
  await stores.users.setPassword(userId, passwordHash);
  await proveEmail(auth, stores, user);
  // Whoever else was at this account may have asked for another address.
  await stores.emailVerifications.remove(userId);
  // Nor may they come back by an identity that they linked before the address was proven.
  const unlinked = user.emailProvenAt === null ? await stores.oauthAccounts.removeAll(userId) : [];
  const detail = unlinked.length > 0 ? { unlinked: unlinked.map(({ provider }) => provider) } : {};
  const event = await recordEvent(stores, { type: 'password.reset', userId, tenantId, detail }, request);
  const ended = endsSessions(auth, user) ? await stores.sessions.revokeAll(userId) : [];
  return [event, ...(await recordRevocation(stores, { userId, tenantId, ended, reason: 'password_reset' }, request))];
}

/** Who signed up with an address that nobody had proven need not be who reads its mail. */
function endsSessions(auth: AuthContext, { emailProvenAt }: UserRecord): boolean {
  return requireReset(auth).revokeSessionsOnReset || emailProvenAt === null;
}
