import { type Awaitable, CodedError } from '@x/errors';
import type { Stores } from '@x/store';
import type { RequestContext } from '../request/request-context.ts';
import { requireActiveSession, requireClaims } from '../session/caller.ts';
import type { SessionDependencies } from '../session/dependencies.ts';
import type { HookContext } from '../user/hooks.ts';
import { toUser, type User, type UserConfig, withTenantOf } from '../user/user.ts';

/** Something that users work in together, such as an organization. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
}

/** The settings of tenants. */
export interface TenantConfig {
  readonly tenant?: Tenancy | undefined;
}

/** What tenants work with. */
export interface TenantDependencies {
  readonly config: TenantConfig & UserConfig;
  readonly stores: Stores;
  readonly sessions: SessionDependencies;
}

/** How an app defines its tenants. `user.tenantId` is the tenant of the caller's session. */
export interface Tenancy {
  /** Lists the tenants that a user may work in. */
  readonly list: (user: User) => Awaitable<readonly Tenant[]>;
  /**
   * Says whether a user may work in a tenant; the id may be any text that a caller sent. It is called twice, the second
   * time in the transaction that moves the session, so read through the stores it is given.
   */
  readonly isMember: (user: User, tenantId: string, context: HookContext) => Awaitable<boolean>;
}

/** The tenants that a user may work in. */
export interface OwnTenants {
  readonly tenants: readonly Tenant[];
  /** The one that the caller's session is in. */
  readonly currentTenantId: string | null;
}

/** Lists the caller's tenants, as the app returns them. */
export async function listTenants(deps: TenantDependencies, { headers }: RequestContext): Promise<OwnTenants> {
  const tenancy = requireTenancy(deps);
  const { sid } = await requireClaims(deps.sessions, headers);
  const { session, user } = await requireActiveSession(deps.sessions, sid);
  const tenants = await tenancy.list(toUser(withTenantOf(session, user), deps.config));
  return { tenants: tenants.map(({ id, name }) => ({ id, name })), currentTenantId: session.tenantId };
}

/** @throws CodedError `NOT_FOUND` if the app has no tenants */
export function requireTenancy({ config }: Pick<TenantDependencies, 'config'>): Tenancy {
  if (config.tenant === undefined) throw new CodedError('NOT_FOUND', 'There are no tenants.');
  return config.tenant;
}
