import { CodedError } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';

/** Thrown where a second factor was turned on since the first one was verified, so that all of the sign-in is undone. */
export class SecondFactorEnabled extends Error {
  override readonly name = 'SecondFactorTurnedOn';
}

/**
 * Makes sure that a session without a second factor belongs to a user who has none. Runs in the transaction that stores
 * the session, after that step, so that it sees a second factor that was turned on since the first one was verified.
 *
 * @throws SecondFactorTurnedOn
 */
export async function assertNoSecondFactor(
  auth: AuthContext,
  stores: TransactionStores,
  userId: UserId,
): Promise<void> {
  if (auth.mfa !== null && (await stores.mfa.find(userId)) !== null) throw new SecondFactorEnabled();
}

/** Builds the error for a sign-in that needs the second factor. */
export function mfaRequired(): CodedError {
  return new CodedError('MFA_REQUIRED', 'A code is required to complete the sign-in.');
}
