import type { EventRecord, TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { proveEmail } from '../email-verification/prove-email.ts';
import { recordEvent } from '../event/record-event.ts';
import { recordRevocation } from '../event/record-revocation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { wrapHookErrors } from './failure.ts';

/**
 * Hands an account with an unproven address to the user whom a trusted provider confirms as owner of the address.
 * Whoever signed up with it may be a squatter, so everything that would let them in again is removed before the owner
 * gets in.
 */
export async function reclaimAccount(
  auth: AuthContext,
  stores: TransactionStores,
  { user, provider }: { readonly user: UserRecord; readonly provider: string },
  request: RequestContext,
): Promise<readonly EventRecord[]> {
  const about = { userId: user.id, tenantId: user.tenantId };
  const unlinked = await stores.oauthAccounts.removeAll(user.id);
  const ended = await stores.sessions.revokeAll(user.id);
  await stores.emailVerifications.remove(user.id);
  await stores.passwordResets.remove(user.id);
  const hadSecondFactor = await stores.mfa.remove(user.id);
  await wrapHookErrors(() => proveEmail(auth, stores, user));
  const detail = {
    provider,
    hadPassword: user.passwordHash !== null,
    hadSecondFactor,
    unlinked: unlinked.map((each) => each.provider),
  };
  return [
    await recordEvent(stores, { ...about, type: 'account.reclaimed', detail }, request),
    ...(await recordRevocation(stores, { ...about, ended, reason: 'account_reclaimed' }, request)),
  ];
}
