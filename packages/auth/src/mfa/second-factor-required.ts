import { CodedError } from '@x/errors';
import type { TransactionStores, UserId } from '@x/store';
import type { AuthContext } from '../auth-context.ts';

/** Thrown where a second factor was turned on since the first one was verified, so that all of the sign-in is undone. */
export class SecondFactorTurnedOn extends Error {
  override readonly name = 'SecondFactorTurnedOn';
}

/**
 * Makes sure that a session without a second factor is of a user who has none. In the transaction that stores it, after
 * that: a second factor that was turned on since the first one was verified is seen then.
 *
 * @throws SecondFactorTurnedOn
 */
export async function assertNoSecondFactor(
  auth: AuthContext,
  stores: TransactionStores,
  userId: UserId,
): Promise<void> {
  if (auth.mfa !== null && (await stores.mfa.find(userId)) !== null) throw new SecondFactorTurnedOn();
}

/** Builds the error of a sign-in that waits for the second factor. */
export function mfaRequired(): CodedError {
  return new CodedError('MFA_REQUIRED', 'A code is required to complete the sign-in.');
}
