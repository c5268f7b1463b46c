import type { TransactionStores, UserRecord } from '@x/store';
import { recordEvent, recordRevocation, type RecordedEvent } from '../events/events.ts';
import type { RequestContext } from '../request/request-context.ts';
import { type EmailDependencies, runHook } from './email.ts';
import { proveEmail } from './verification.ts';

/** An account whose address somebody proves, although they need not be who signed up with it. */
interface Reclaimed {
  /** The user as they were, with an address that was never proven. */
  readonly user: UserRecord;
  /** The trusted provider that vouches for the address; absent if a mailed token proves it. */
  readonly provider?: string;
}

/**
 * Hands an account to the owner of its address, which nobody has proven before. Whoever signed up with the address may
 * be a squatter, so everything that would let them in again is removed: identities, sessions, mailed tokens, and the
 * second factor, active or pending. The app's hook then takes away what they arranged for others.
 *
 * Runs in the transaction that proves the address. The caller replaces the password first, which locks the user's row.
 *
 * @returns the events it logged
 * @see Sudhodanan, Paverd: Pre-hijacked accounts. USENIX Security 2022
 */
export async function reclaimAccount(
  deps: EmailDependencies,
  stores: TransactionStores,
  { user, provider }: Reclaimed,
  request: RequestContext,
): Promise<readonly RecordedEvent[]> {
  const { id: userId, tenantId } = user;
  const unlinked = await stores.oauthAccounts.removeAll(userId);
  const ended = await stores.sessions.revokeAll(userId);
  await stores.emailVerifications.remove(userId);
  await stores.passwordResets.remove(userId);
  const hadSecondFactor = await stores.mfa.remove(userId);
  await proveEmail(deps, stores, user);
  // Created by an operator, and used by nobody yet: what was arranged for it is meant for the owner of the address.
  if (user.passwordHash === null && unlinked.length === 0 && ended.length === 0) return [];
  await runHook(deps, stores, userId, 'onAccountReclaimed');
  const detail = {
    ...(provider !== undefined && { provider }),
    hadPassword: user.passwordHash !== null,
    hadSecondFactor,
    unlinked: unlinked.map((each) => each.provider),
  };
  return [
    await recordEvent(stores, { type: 'account.reclaimed', userId, tenantId, detail, owner: user }, request),
    ...(await recordRevocation(stores, { userId, tenantId, ended, reason: 'account_reclaimed' }, request)),
  ];
}
