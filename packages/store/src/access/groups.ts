import type { Cause } from '../events.ts';
import type { Page, PageRequest } from '../paging.ts';
import type { UserId } from '../values.ts';

/** The holder of a role, or a member of a group: a user or a group. */
export type RoleHolder =
  { readonly userId: UserId; readonly groupId?: undefined } | { readonly groupId: string; readonly userId?: undefined };

/** The most memberships that may lead from a member to a group. */
export const maxGroupDepth = 8;

/** A member of a group. */
export interface Membership {
  /** The tenant that both the group and a group that is its member belong to. */
  readonly tenantId: string;
  readonly groupId: string;
  readonly member: RoleHolder;
}

/** A group of a tenant. */
export type Group = Omit<Membership, 'member'>;

/** The outcome of adding a member; only `added` changes anything. */
export type AddMemberOutcome = 'added' | 'present' | 'cycle' | 'too_deep' | 'other_tenant';

/**
 * The members of groups. A group has users and other groups as members, and all users in one of these groups are in it,
 * too: they have all roles that it was assigned. A group never becomes a member of itself, even by concurrent changes.
 *
 * A group needs no entry of its own. With its first member or membership it becomes one of that tenant, until deleted.
 */
export interface GroupStore {
  /**
   * Adds a member to a group, and logs `group.member_added` in the log of the tenant.
   *
   * `present`: it is one already; `cycle`: it is the group itself, or the group is in it; `too_deep`: more than
   * {@link maxGroupDepth} memberships would lead from some member to some group; `other_tenant`: one of the groups
   * belongs to another tenant.
   */
  add(membership: Membership, cause?: Cause): Promise<AddMemberOutcome>;

  /** Removes a member from a group, and says whether it was one. Logs `group.member_removed`. */
  remove(membership: Membership, cause?: Cause): Promise<boolean>;

  /** Lists the direct members of a group by pages: its groups, then its users, each by the code points of their ids. */
  listMembers(groupId: string, page: PageRequest): Promise<Page<RoleHolder>>;

  /** Lists the ids of the groups that a user or a group is in, directly or by other groups, by their code points. */
  listGroups(member: RoleHolder): Promise<readonly string[]>;

  /**
   * Removes a user from all groups of a tenant, and returns those that they were a direct member of, by code points.
   * Logs `group.member_removed` for each.
   */
  leaveTenant(userId: UserId, tenantId: string, cause?: Cause): Promise<readonly string[]>;

  /**
   * Deletes a group with its memberships and all roles that it was assigned, and says whether it was one of the tenant.
   * Logs `role.revoked` for each of the roles, and `group.deleted`.
   */
  delete(group: Group, cause?: Cause): Promise<boolean>;
}
