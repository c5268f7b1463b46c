import { CodedError } from '@x/errors';
import {
  type AddMemberOutcome,
  type Group,
  maxGroupDepth,
  type Membership,
  type RoleHolder,
  type Stores,
  type TransactionStores,
  toUserId,
} from '@x/store';
import { type AdminEvent, appendEvent, assertStorable, invalid, type Operator } from './admin-change.ts';

/** Who is given a role, or is a member of a group: a user or a group. */
export type Holder =
  { readonly userId: string; readonly groupId?: undefined } | { readonly groupId: string; readonly userId?: undefined };

/** A membership to begin or end. */
export interface GroupMembership {
  /** The tenant that the group belongs to, from its first member on. */
  readonly tenantId: string;
  readonly groupId: string;
  readonly member: Holder;
}

/** Who changes a group, for the log of its tenant. */
export type GroupOperator = Pick<Operator, 'by'>;

/** Changes who is in which group. Each change commits together with its event, in the log of the group's tenant. */
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
export function createGroupAdmin({ stores }: { readonly stores: Pick<Stores, 'transaction'> }): GroupAdmin {
  const change = (step: (inside: TransactionStores) => Promise<readonly AdminEvent[]>): Promise<boolean> =>
    stores.transaction(async (inside) => {
      const events = await step(inside);
      for (const event of events) await appendEvent(inside, event);
      return events.length > 0;
    });
  return {
    async addMember(given, operator) {
      const membership = toMembership(given);
      return change(async ({ groups }) => {
        const outcome = await groups.add(membership);
        const refusal = refusals[outcome];
        if (refusal !== null) throw new CodedError('CONFLICT', refusal);
        return outcome === 'added' ? [toEvent('group.member_added', membership, operator)] : [];
      });
    },

    async removeMember(given, operator) {
      const membership = toMembership(given);
      return change(async ({ groups }) =>
        (await groups.remove(membership)) ? [toEvent('group.member_removed', membership, operator)] : [],
      );
    },

    async leaveGroups(userId, tenantId, operator) {
      assertStorable(userId, tenantId);
      const member = { userId: toUserId(userId) };
      await change(async ({ groups }) =>
        (await groups.leaveTenant(member.userId, tenantId)).map((groupId) =>
          toEvent('group.member_removed', { tenantId, groupId, member }, operator),
        ),
      );
    },

    async deleteGroup(group, operator) {
      const { tenantId, groupId } = group;
      assertStorable(tenantId, groupId);
      return change(async ({ groups }) =>
        (await groups.delete({ tenantId, groupId }))
          ? [{ type: 'group.deleted', userId: null, tenantId, detail: { groupId, by: operator.by } }]
          : [],
      );
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

function toEvent(
  type: 'group.member_added' | 'group.member_removed',
  { tenantId, groupId, member }: Membership,
  { by }: GroupOperator,
): AdminEvent {
  const detail = { groupId, ...(member.groupId !== undefined && { member: { groupId: member.groupId } }), by };
  return { type, userId: member.userId ?? null, tenantId, detail };
}
