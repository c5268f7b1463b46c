import { CodedError } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';

/**
 * Holds whoever is about to own a new organization: their account stays until it is theirs. Otherwise an account that is
 * deleted meanwhile would leave it to nobody.
 *
 * @throws CodedError `UNAUTHENTICATED` where the account is gone, although a JWT of it is still good
 */
export async function holdCreator({ users }: TransactionStores, userId: string | null): Promise<void> {
  if (userId === null || (await users.hold(userId as UserId))) return;
  throw new CodedError('UNAUTHENTICATED', 'You are not signed in.');
}
