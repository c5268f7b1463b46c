import type { TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { tokenInvalid } from '../email/mail.ts';
import { toUser } from '../user/to-user.ts';

/**
 * Records that a user has proven their address, and runs the app's hook in the same transaction if that is new.
 *
 * @throws CodedError `TOKEN_INVALID` if the address is no longer theirs
 */
export async function proveEmail(auth: AuthContext, stores: TransactionStores, user: UserRecord): Promise<void> {
  if ((await stores.users.proveEmail(user.id, user.email)) === null) throw tokenInvalid();
  if (user.emailProvenAt === null) await runProvenHook(auth, stores, user);
}

/** Runs the app's hook for a user whose address this transaction has proven. */
export async function runProvenHook(
  auth: AuthContext,
  stores: TransactionStores,
  { id }: Pick<UserRecord, 'id'>,
): Promise<void> {
  const proven = await stores.users.findById(id);
  if (proven !== null) await auth.hooks.onEmailProven(toUser(proven, auth.config), { stores });
}
