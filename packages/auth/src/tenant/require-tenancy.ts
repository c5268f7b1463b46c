import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { Tenancy } from './tenancy.ts';

/**
 * Returns what the app tells of its tenants.
 *
 * @throws CodedError `NOT_FOUND` where the app has none
 */
export function requireTenancy({ config }: Pick<AuthContext, 'config'>): Tenancy {
  if (config.tenant === undefined) throw new CodedError('NOT_FOUND', 'There are no tenants.');
  return config.tenant;
}
