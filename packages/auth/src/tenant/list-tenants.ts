import { requireActive } from '../account/confirm-password.ts';
import type { AuthContext } from '../auth-context.ts';
import type { RequestContext } from '../request/request-context.ts';
import { requireClaims } from '../session/get-session.ts';
import { inTenantOf } from '../session/issue-tokens.ts';
import { toUser } from '../user/to-user.ts';
import { requireTenancy } from './require-tenancy.ts';
import type { Tenant } from './tenancy.ts';

/** The tenants that a user may work in. */
export interface OwnTenants {
  readonly tenants: readonly Tenant[];
  /** The one that the caller's session is in. */
  readonly currentTenantId: string | null;
}

/**
 * Lists the caller's tenants, as the app returns them.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function listTenants(auth: AuthContext, { headers }: RequestContext): Promise<OwnTenants> {
  const tenancy = requireTenancy(auth);
  const { sid } = await requireClaims(auth, headers);
  const { session, user } = await requireActive(auth, sid);
  const tenants = await tenancy.list(toUser(inTenantOf(session, user), auth.config));
  return { tenants: tenants.map(({ id, name }) => ({ id, name })), currentTenantId: session.tenantId };
}
