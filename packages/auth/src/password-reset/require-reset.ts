import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { EnabledReset } from '../config/auth-config.ts';

/**
 * Returns the settings of password reset.
 *
 * @throws CodedError `NOT_FOUND` if it is not enabled
 */
export function requireReset({ config }: Pick<AuthContext, 'config'>): EnabledReset {
  if (!config.passwordReset.enabled) throw new CodedError('NOT_FOUND', 'Password reset is not enabled.');
  return config.passwordReset;
}
