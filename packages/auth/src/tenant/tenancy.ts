import type { HookContext } from '../hooks/hooks.ts';
import type { User } from '../user/user.ts';

/** Something that users work in together, such as an organization. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
}

/** What an app tells of its tenants. `user.tenantId` is the tenant of the session that asks. */
export interface Tenancy {
  /** Lists the tenants that a user may work in. */
  readonly list: (user: User) => readonly Tenant[] | Promise<readonly Tenant[]>;
  /**
   * Says whether a user may work in a tenant; the id is whatever text a caller sent. It is asked twice, the second time in
   * the transaction that moves the user there, and reads through the stores that it is handed.
   */
  readonly isMember: (user: User, tenantId: string, context: HookContext) => boolean | Promise<boolean>;
}
