import { CodedError } from '@x/errors';
import {
  type AddMemberOutcome,
  type Group,
  maxGroupDepth,
  type Membership,
  type RoleHolder,
  type TransactionStores,
  toUserId,
} from '@x/store';
import { assertStorable, invalid, type Operator } from './admin-change.ts';

/** The holder of a role, or a member of a group: a user or a group. */
export type Holder =
  { readonly userId: string; readonly groupId?: undefined } | { readonly groupId: string; readonly userId?: undefined };

/** A membership to begin or end. */
export interface GroupMembership {
  /** The tenant that the group belongs to, from its first member on. */
  readonly tenantId: string;
  readonly groupId: string;
  readonly member: Holder;
}

/** The operator of a change of a group, for the log of its tenant. */
export type GroupOperator = Pick<Operator, 'by'>;

/** Changes the members of groups. Each change commits together with its event, in the log of the group's tenant. */
export interface GroupAdmin {
  /**
   * Adds a user or a group to a group, logs `group.member_added`, and says whether it was no direct member before. The
   * member has all roles of the group at once.
   *
   * @throws CodedError `CONFLICT` if the group is in the member, too many groups would be in each other, or one of them
   *   belongs to another tenant
   */
  addMember(membership: GroupMembership, operator: GroupOperator): Promise<boolean>;

  /** Removes a direct member of a group, logs `group.member_removed`, and says whether it was one. */
  removeMember(membership: GroupMembership, operator: GroupOperator): Promise<boolean>;

  /** Removes a user from all groups of a tenant, and logs each. */
  leaveGroups(userId: string, tenantId: string, operator: GroupOperator): Promise<void>;

  /** Deletes a group with its roles, logs `group.deleted`, and says whether it was one of the tenant. */
  deleteGroup(group: Group, operator: GroupOperator): Promise<boolean>;
}

/** Creates the operations that change groups. */
export function createGroupAdmin({ stores }: { readonly stores: Pick<TransactionStores, 'groups'> }): GroupAdmin {
  return {
    async addMember(membership, operator) {
      const outcome = await stores.groups.add(toMembership(membership), operator);
      const refusal = refusals[outcome];
      if (refusal !== null) throw new CodedError('CONFLICT', refusal);
      return outcome === 'added';
    },

    removeMember: async (membership, operator) => stores.groups.remove(toMembership(membership), operator),

    async leaveGroups(userId, tenantId, operator) {
      assertStorable(userId, tenantId);
      await stores.groups.leaveTenant(toUserId(userId), tenantId, operator);
    },

    async deleteGroup({ tenantId, groupId }, operator) {
      assertStorable(tenantId, groupId);
      return stores.groups.delete({ tenantId, groupId }, operator);
    },
  };
}

/** Why a member is not added. */
const refusals: Readonly<Record<AddMemberOutcome, string | null>> = {
  added: null,
  present: null,
  cycle: 'A group cannot become a member of itself.',
  too_deep: `Groups can be in each other at most ${maxGroupDepth} levels deep.`,
  other_tenant: 'A group of another tenant cannot be used.',
};

function toMembership(given: GroupMembership): Membership {
  const { tenantId, groupId, member } = given;
  assertStorable(tenantId, groupId);
  return { tenantId, groupId, member: toHolder(member) };
}

/** @throws CodedError `VALIDATION_FAILED` unless it names either a user or a group */
export function toHolder({ userId, groupId }: Holder): RoleHolder {
  if ((userId === undefined) === (groupId === undefined)) throw invalid('Name either a user or a group.');
  assertStorable(userId ?? groupId ?? '');
  return userId === undefined ? { groupId: groupId ?? '' } : { userId: toUserId(userId) };
}
