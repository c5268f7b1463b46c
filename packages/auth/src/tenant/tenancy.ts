import type { HookContext } from '../hooks/hooks.ts';
import type { User } from '../user/user.ts';

/** Something that users work in together, such as an organization. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
}

/** How an app defines its tenants. `user.tenantId` is the tenant of the caller's session. */
export interface Tenancy {
  /** Lists the tenants that a user may work in. */
  readonly list: (user: User) => readonly Tenant[] | Promise<readonly Tenant[]>;
  /**
   * Says whether a user may work in a tenant; the id may be any text that a caller sent. It is called twice, the second
   * time in the transaction that moves the session, so read through the stores it is given.
   */
  readonly isMember: (user: User, tenantId: string, context: HookContext) => boolean | Promise<boolean>;
}
