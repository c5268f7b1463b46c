import type { TransactionStores, UserRecord } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { tokenInvalid } from '../mail/mail-token.ts';
import { toUser } from '../user/to-user.ts';

/**
 * Records that a user's address is theirs, and tells the app in the same transaction where that is new.
 *
 * @throws CodedError `TOKEN_INVALID` where the address is not theirs any more
 */
export async function proveEmail(auth: AuthContext, stores: TransactionStores, user: UserRecord): Promise<void> {
  if ((await stores.users.proveEmail(user.id, user.email)) === null) throw tokenInvalid();
  if (user.emailProvenAt === null) await runProvenHook(auth, stores, user);
}

/** Tells the app, in the transaction that proved an address, of the user as they are there. */
export async function runProvenHook(
  auth: AuthContext,
  stores: TransactionStores,
  { id }: Pick<UserRecord, 'id'>,
): Promise<void> {
  const proven = await stores.users.findById(id);
  if (proven !== null) await auth.hooks.onEmailProven(toUser(proven, auth.config), { stores });
}
