import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../events/events.ts';
import { deliver } from '../mail/deliver.ts';
import { createMailToken } from '../email/mail.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import { requireVerification } from './require-verification.ts';

/** A stored verification whose mail is to be sent after the commit. */
export interface StartedVerification {
  readonly events: readonly EventRecord[];
  /** Hands the token to the app, after the response. */
  sendMail(): void;
}

/**
 * Stores a token that proves a user's address, or the address that they want to change to; it replaces the previous
 * one. Runs in the caller's transaction.
 */
export async function startVerification(
  auth: AuthContext,
  stores: TransactionStores,
  { user, newEmail }: { readonly user: UserRecord; readonly newEmail: string | null },
  request: RequestContext,
): Promise<StartedVerification> {
  const { tokenTtl, onSend } = requireVerification(auth);
  const { token, tokenHash } = createMailToken();
  const expiresAt = new Date(auth.stores.clock.now().getTime() + tokenTtl);
  await stores.emailVerifications.replace({ userId: user.id, tokenHash, email: user.email, newEmail, expiresAt });
  const about = { userId: user.id, tenantId: user.tenantId };
  const event = await recordEvent(
    stores,
    newEmail === null
      ? { ...about, type: 'email_verification.requested' }
      : { ...about, type: 'email_change.requested', detail: { newEmail } },
    request,
  );
  // Only the app sees the address before it is proven.
  const recipient = toUser({ ...user, email: newEmail ?? user.email }, auth.config);
  return { events: [event], sendMail: () => deliver(auth, 'email_verification', () => onSend(recipient, token)) };
}
