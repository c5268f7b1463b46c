import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { MfaParts } from './mfa-parts.ts';

/**
 * Returns the parts of the second factor.
 *
 * @throws CodedError `NOT_FOUND` where the app does not have it
 */
export function requireMfa({ mfa }: Pick<AuthContext, 'mfa'>): MfaParts {
  if (mfa === null) throw new CodedError('NOT_FOUND', 'MFA is not enabled.');
  return mfa;
}
