import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { EnabledVerification } from '../config/auth-config.ts';

/**
 * Returns the settings of e-mail verification.
 *
 * @throws CodedError `NOT_FOUND` if it is not enabled
 */
export function requireVerification({ config }: Pick<AuthContext, 'config'>): EnabledVerification {
  if (!config.emailVerification.enabled) {
    throw new CodedError('NOT_FOUND', 'E-mail verification is not enabled.');
  }
  return config.emailVerification;
}
