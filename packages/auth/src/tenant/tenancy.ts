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
  /** Says whether a user may work in a tenant; the id is whatever text a caller sent. */
  readonly isMember: (user: User, tenantId: string) => boolean | Promise<boolean>;
}
