import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import { z } from 'zod';
import { password } from '../account/credentials.ts';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { publishEvents, recordEvent } from '../events/events.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import { assertMailToken, consumeMailToken, isTokenOf, tokenInvalid } from '../email/mail.ts';
import { assertGoodPassword } from '../password/policy.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireReset } from './require-reset.ts';

/** A token, and the new password. */
export interface PasswordReset {
  /** As mailed. */
  readonly token: string;
  readonly password: string;
}

/**
 * Consumes a mailed token and sets a new password. This also proves the address that the mail went to, and ends the
 * sessions; it signs nobody in. Identities that were linked before the address was proven are unlinked. If the password
 * is refused, the token stays valid.
 *
 * @throws CodedError `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`; `SERVICE_UNAVAILABLE` if too many passwords
 * are waiting to be hashed
 */
export async function resetPassword(auth: AuthContext, input: unknown, request: RequestContext): Promise<void> {
  requireReset(auth);
  const reset = await parseInput(passwordResetInput, input);
  assertGoodPassword(reset.password, auth.passwordPolicy, ['password']);
  // Checked before hashing, which is too expensive for somebody guessing tokens.
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
  // Whoever else had access to this account may have requested another address.
  await stores.emailVerifications.remove(userId);
  // Nor may they come back with an identity that they linked before the address was proven.
  const unlinked = user.emailProvenAt === null ? await stores.oauthAccounts.removeAll(userId) : [];
  const detail = unlinked.length > 0 ? { unlinked: unlinked.map(({ provider }) => provider) } : {};
  const event = await recordEvent(stores, { type: 'password.reset', userId, tenantId, detail }, request);
  const ended = endsSessions(auth, user) ? await stores.sessions.revokeAll(userId) : [];
  return [event, ...(await recordRevocation(stores, { userId, tenantId, ended, reason: 'password_reset' }, request))];
}

/** Whoever signed up with an unproven address need not be the person who reads its mail. */
function endsSessions(auth: AuthContext, { emailProvenAt }: UserRecord): boolean {
  return requireReset(auth).revokeSessionsOnReset || emailProvenAt === null;
}
