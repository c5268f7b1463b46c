import {
  type AddMemberOutcome,
  compareCodePoints,
  type Group,
  type GroupStore,
  maxGroupDepth,
  type Membership,
  type Page,
  type PageRequest,
  type Resource,
  type RoleHolder,
  type UserId,
} from '@x/store';
import { assertStorableText, logged, type LoggedChange, type Recorded, recordedIf } from '@x/store/engine';
import { PairTable } from '../database/pair-table.ts';
import type { StepExecutor } from '../database/executor.ts';
import { type EventTable, record } from '../events.ts';
import { type AssignmentTable, toAssignments } from './assignment-table.ts';
import { copyHolder, groupKeysOf } from './holders.ts';
import { attach, detach, type Edge, type EdgeTable, toEdge } from './hierarchy.ts';
import { toResourceKey } from './resource-key.ts';

/** Which tenant groups belong to, by the ids of the group (first key) and the tenant (second key). */
export type GroupTable = PairTable<Group>;

/** Creates an empty table of groups. */
export function createGroupTable(): GroupTable {
  return new PairTable<Group>();
}

/** The tables of the store of groups: memberships, tenants of groups, and the roles that go with a deleted group. */
interface GroupTables {
  readonly memberships: EdgeTable;
  readonly groups: GroupTable;
  readonly assignments: AssignmentTable;
  readonly events: EventTable;
}

/** Creates the store of groups. Memberships are a hierarchy of their own, with the groups as parents. */
export function createGroupStore(executor: StepExecutor<GroupTables>): GroupStore {
  return {
    add: async (membership, cause) => {
      // Copied first: the caller may change it while the step waits.
      const copied = copyMembership(membership);
      return record(executor, cause, (tables) => {
        const outcome = add(tables, toMembershipEdge(copied), copied.tenantId);
        return { outcome, recorded: outcome === 'added' ? [logged.membership('group.member_added', copied)] : [] };
      });
    },
    remove: async (membership, cause) => {
      const copied = copyMembership(membership);
      return record(executor, cause, ({ memberships, groups }) =>
        recordedIf(
          groups.get(copied.groupId, copied.tenantId) !== undefined && detach(memberships, toMembershipEdge(copied)),
          logged.membership('group.member_removed', copied),
        ),
      );
    },
    listMembers: async (groupId, page) => executor.read(({ memberships }) => listMembers(memberships, groupId, page)),
    listGroups: async (member) => {
      const key = toResourceKey(toNode(member));
      return executor.read(({ memberships }) =>
        [...groupKeysOf(memberships, key)].map((each) => each.slice(groupPrefix.length)).toSorted(compareCodePoints),
      );
    },
    leaveTenant: async (userId, tenantId, cause) =>
      record(executor, cause, (tables) => {
        const outcome = leaveTenant(tables, userId, tenantId);
        const toChange = (groupId: string): LoggedChange =>
          logged.membership('group.member_removed', { tenantId, groupId, member: { userId } });
        return { outcome, recorded: outcome.map(toChange) };
      }),
    delete: async (group, cause) => {
      const { groupId, tenantId } = group;
      return record(executor, cause, (tables) => deleteGroup(tables, { groupId, tenantId }));
    },
  };
}

/** The beginning of the keys of groups. */
const groupPrefix = toResourceKey({ type: 'group', id: '' });

/** Memberships are edges between resources of the types `user` and `group`. */
function toNode({ userId, groupId }: RoleHolder): Resource {
  return groupId === undefined ? { type: 'user', id: userId } : { type: 'group', id: groupId };
}

function copyMembership({ tenantId, groupId, member }: Membership): Membership {
  return { tenantId, groupId, member: copyHolder(member) };
}

function toMembershipEdge({ member, groupId }: Omit<Membership, 'tenantId'>): Edge {
  return toEdge(toNode(member), { type: 'group', id: groupId });
}

function add({ memberships, groups }: GroupTables, edge: Edge, tenantId: string): AddMemberOutcome {
  const affected = [edge.parent, edge.child].filter(({ type }) => type === 'group').map(({ id }) => id);
  const isElsewhere = (groupId: string): boolean =>
    groups.selectFirst(groupId).some((group) => group.tenantId !== tenantId);
  if (affected.some(isElsewhere)) return 'other_tenant';
  const outcome = attach(memberships, edge, maxGroupDepth);
  if (outcome !== 'attached') return outcome;
  for (const groupId of affected) groups.put(groupId, tenantId, { groupId, tenantId });
  return 'added';
}

function listMembers(memberships: EdgeTable, groupId: string, { limit, after }: PageRequest): Page<RoleHolder> {
  if (after !== null) assertStorableText(after);
  const all = memberships
    .selectSecond(toResourceKey({ type: 'group', id: groupId }))
    .map(({ child }) => ({ child, cursor: `${child.type}:${child.id}` }))
    .filter(({ cursor }) => after === null || compareCodePoints(cursor, after) > 0)
    .toSorted((a, b) => compareCodePoints(a.cursor, b.cursor));
  const page = all.slice(0, limit);
  const items = page.map(({ child: { type, id } }): RoleHolder =>
    type === 'group' ? { groupId: id } : { userId: id as UserId },
  );
  return { items, nextCursor: all.length > limit ? (page.at(-1)?.cursor ?? null) : null };
}

function leaveTenant({ memberships, groups }: GroupTables, userId: UserId, tenantId: string): readonly string[] {
  const left = memberships
    .selectFirst(toResourceKey({ type: 'user', id: userId }))
    .filter(({ parent }) => groups.get(parent.id, tenantId));
  for (const edge of left) detach(memberships, edge);
  return left.map(({ parent }) => parent.id).toSorted(compareCodePoints);
}

/** Ends all memberships of a user, and returns them. */
export function leaveAllGroups(
  { memberships, groups }: Pick<GroupTables, 'memberships' | 'groups'>,
  userId: UserId,
): readonly Membership[] {
  const left = [...memberships.selectFirst(toResourceKey({ type: 'user', id: userId }))];
  for (const edge of left) detach(memberships, edge);
  return left.flatMap(({ parent }) => groups.selectFirst(parent.id).map((group) => ({ ...group, member: { userId } })));
}

function deleteGroup(
  { memberships, groups, assignments }: GroupTables,
  { groupId, tenantId }: Group,
): Recorded<boolean> {
  if (!groups.get(groupId, tenantId)) return recordedIf(false);
  const key = toResourceKey({ type: 'group', id: groupId });
  for (const edge of [...memberships.selectFirst(key), ...memberships.selectSecond(key)]) detach(memberships, edge);
  const roles = [...assignments.selectFirst(key)];
  for (const { resourceKey } of roles) assignments.delete(key, resourceKey);
  groups.delete(groupId, tenantId);
  const revoked = toAssignments(roles).map((role) => ({ ...logged.role('role.revoked', role), tenantId }));
  return recordedIf(true, ...revoked, logged.ofTenant('group.deleted', tenantId, { groupId }));
}
