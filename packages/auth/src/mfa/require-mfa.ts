import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { MfaParts } from './mfa-parts.ts';

/**
 * Returns the parts of second factors.
 *
 * @throws CodedError `NOT_FOUND` if they are not enabled
 */
export function requireMfa({ mfa }: Pick<AuthContext, 'mfa'>): MfaParts {
  if (mfa === null) throw new CodedError('NOT_FOUND', 'MFA is not enabled.');
  return mfa;
}
