import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { recordEvent } from '../event/record-event.ts';
import { deliver } from '../mail/deliver.ts';
import { createMailToken } from '../mail/mail-token.ts';
import type { RequestContext } from '../request/request-context.ts';
import { toUser } from '../user/to-user.ts';
import { requireVerification } from './require-verification.ts';

/** A verification that is stored, whose mail is to be sent once that is committed. */
export interface StartedVerification {
  readonly events: readonly EventRecord[];
  /** Hands the token to the app, after the answer. */
  sendMail(): void;
}

/**
 * Stores a token that proves a user's address, or the one that is to become theirs, in the place of an older one.
 * Through the stores of a transaction.
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
  // Nobody but the app sees the address before it is proven.
  const recipient = toUser({ ...user, email: newEmail ?? user.email }, auth.config);
  return { events: [event], sendMail: () => deliver(auth, 'email_verification', () => onSend(recipient, token)) };
}
