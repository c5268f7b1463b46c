import { CodedError } from '@x/errors';
import type { AuthContext } from '../auth-context.ts';
import type { Tenancy } from './tenancy.ts';

/**
 * Returns the app's `tenant` setting.
 *
 * @throws CodedError `NOT_FOUND` if the app has no tenants
 */
export function requireTenancy({ config }: Pick<AuthContext, 'config'>): Tenancy {
  if (config.tenant === undefined) throw new CodedError('NOT_FOUND', 'There are no tenants.');
  return config.tenant;
}
