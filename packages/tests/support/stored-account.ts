import { hash } from 'node:crypto';
import type { SessionId, Stores, UserId } from '@x/store';

/** The mailed tokens of an account, known because a test stored them. */
export interface MailedTokens {
  readonly verification: string;
  readonly reset: string;
}

/** Stores a token of each kind for a user, in place of the ones before. */
export async function storeMailTokens(
  stores: Stores,
  { userId, email }: { readonly userId: UserId; readonly email: string },
): Promise<MailedTokens> {
  const [verification, reset] = [crypto.randomUUID(), crypto.randomUUID()];
  const expiresAt = new Date(stores.clock.now().getTime() + 7 * 86_400_000);
  const record = { userId, email, newEmail: null, expiresAt };
  await stores.emailVerifications.replace({ ...record, tokenHash: hashOf(verification) });
  await stores.passwordResets.replace({ ...record, tokenHash: hashOf(reset) });
  return { verification, reset };
}

/**
 * Reads all that is stored about an account, apart from the log: the user, sessions in any state, factor, links,
 * tokens.
 */
export async function readAccount(
  stores: Stores,
  { userId, sessionIds, mailed }: { userId: UserId; sessionIds: readonly SessionId[]; mailed: MailedTokens },
): Promise<object> {
  return {
    user: await stores.users.findById(userId),
    active: (await stores.sessions.listActive(userId)).map(({ id }) => id).toSorted(),
    sessions: await Promise.all(sessionIds.map((id) => stores.sessions.findById(id))),
    factor: await stores.mfa.find(userId),
    pendingFactor: await stores.mfa.findPending(userId),
    identities: await stores.oauthAccounts.list(userId),
    verification: await stores.emailVerifications.find(hashOf(mailed.verification)),
    reset: await stores.passwordResets.find(hashOf(mailed.reset)),
  };
}

function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
