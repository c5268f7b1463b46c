import { requireActive } from '../account/confirm-password.ts';
import type { AuthContext } from '../auth-context.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';

/** An identity that its owner can sign in with. */
export interface OwnOAuthAccount {
  readonly provider: string;
  readonly providerId: string;
  /** The address that the provider gave when it was linked. */
  readonly email: string | null;
}

/**
 * Lists the identities of the caller.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function listOAuthAccounts(
  auth: AuthContext,
  { headers }: RequestContext,
): Promise<readonly OwnOAuthAccount[]> {
  const { sid } = await requireClaims(auth, headers);
  const { user } = await requireActive(auth, sid);
  const accounts = await auth.stores.oauthAccounts.list(user.id);
  return accounts.map(({ provider, providerId, email }) => ({ provider, providerId, email }));
}
