import type { Cause, OAuthAccountRecord, SessionId, TransactionStores, UserId } from '@x/store';

/** The credentials that an account lost. */
export interface RemovedCredentials {
  readonly unlinked: readonly OAuthAccountRecord[];
  readonly ended: readonly SessionId[];
}

/**
 * Removes all that a holder of an account could act for it with later, except the password, the second factor and the
 * token of a reset, which the callers treat differently: its identities, its sessions, and the token that changes its
 * address.
 */
export async function removeCredentials(
  stores: TransactionStores,
  userId: UserId,
  cause: Cause,
): Promise<RemovedCredentials> {
  const unlinked = await stores.oauthAccounts.removeAll(userId);
  const ended = await stores.sessions.revokeAll(userId, cause);
  await stores.emailVerifications.remove(userId);
  return { unlinked, ended };
}
