import {
  type AddMemberOutcome,
  compareCodePoints,
  type GroupStore,
  maxGroupDepth,
  type Membership,
  type Page,
  type PageRequest,
  type Resource,
  type RoleHolder,
  type UserId,
} from '@x/store';
import { logged, type LoggedChange, recordedIf } from '@x/store/engine';
import { text } from '../columns.ts';
import { createRecording } from '../events.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { type Edge, HierarchyEdges } from './hierarchy-edges.ts';
import { createHierarchyLocks } from './hierarchy-locks.ts';
import { toHolderText } from './holders.ts';
import { revokeAll } from './role-assignments.ts';

// Memberships are a hierarchy of their own for each tenant, with the groups as parents: resources of the types `user`
// and `group`.

const insertGroup = `
  INSERT INTO access_groups (group_id, tenant_id) VALUES ($1, $2) ON CONFLICT (group_id) DO NOTHING`;

const selectTenant = 'SELECT tenant_id FROM access_groups WHERE group_id = $1';

const membersOf = `SELECT child_type, child_id FROM access_memberships WHERE parent_type = 'group' AND parent_id = $1`;

const firstMembers = `${membersOf} ORDER BY child_type, child_id LIMIT $2`;

const nextMembers = `${membersOf} AND (child_type, child_id) > ($3, $4) ORDER BY child_type, child_id LIMIT $2`;

const selectGroups = `
  SELECT DISTINCT ancestor_id AS id FROM access_group_closure WHERE descendant_type = $1 AND descendant_id = $2`;

const selectParents = `SELECT parent_id AS id FROM access_memberships WHERE child_type = 'group' AND child_id = $1`;

/** Ends all paths of a user to the groups of a tenant, which are in groups of the same tenant only. */
const leavePaths = `
  DELETE FROM access_group_closure WHERE descendant_type = 'user' AND descendant_id = $1
    AND EXISTS (SELECT 1 FROM access_groups WHERE group_id = ancestor_id AND tenant_id = $2)`;

const leaveGroups = `
  DELETE FROM access_memberships WHERE child_type = 'user' AND child_id = $1
    AND EXISTS (SELECT 1 FROM access_groups WHERE group_id = parent_id AND tenant_id = $2)
  RETURNING parent_id AS id`;

/** Deletes a group that is in no other one: no path goes on above it. */
const deleteTopGroup = [
  `DELETE FROM access_group_closure WHERE ancestor_type = 'group' AND ancestor_id = $1`,
  `DELETE FROM access_memberships WHERE parent_type = 'group' AND parent_id = $1`,
  'DELETE FROM access_groups WHERE group_id = $1',
];

const selectTenants = `
  SELECT DISTINCT tenant_id AS id FROM access_memberships JOIN access_groups ON group_id = parent_id
  WHERE child_type = 'user' AND child_id = $1`;

const edges = new HierarchyEdges({ edges: 'access_memberships', closure: 'access_group_closure' });

/** Builds the store of groups. */
export function createSqlGroups({ dialect, clock }: SqlStoreDependencies): OnExecutor<GroupStore> {
  const { recordIn } = createRecording({ clock });
  const changeIn = createHierarchyLocks(dialect, edges.tables);
  return (sql) => ({
    async add(membership, cause) {
      const edge = toEdge(membership);
      try {
        return await changeIn(sql, { hierarchy: toLock(membership.tenantId), ...edge }, (step) =>
          recordIn(step, cause, async () => {
            await claimGroups(step, edge, membership.tenantId);
            const outcome = await edges.attach(step, edge, maxGroupDepth);
            if (outcome !== 'attached') throw new RefusedMembership(outcome);
            return { outcome: 'added', recorded: [logged.membership('group.member_added', membership)] };
          }),
        );
      } catch (error) {
        if (error instanceof RefusedMembership) return error.outcome;
        throw error;
      }
    },

    remove: (membership, cause) =>
      changeIn(sql, { hierarchy: toLock(membership.tenantId), child: toNode(membership.member) }, (step) =>
        recordIn(step, cause, async () => {
          const isRemoved = (await isOfTenant(step, membership)) && (await edges.detach(step, toEdge(membership)));
          return recordedIf(isRemoved, logged.membership('group.member_removed', membership));
        }),
      ),

    listMembers: (groupId, page) => listMembers(sql, groupId, page),

    async listGroups(member) {
      const { type, id } = toNode(member);
      return toIds(await sql.read(selectGroups, [type, id]));
    },

    leaveTenant: (userId, tenantId, cause) =>
      changeIn(sql, { hierarchy: toLock(tenantId), child: toNode({ userId }) }, (step) =>
        recordIn(step, cause, async () => {
          const outcome = await leaveTenant(step, userId, tenantId);
          return { outcome, recorded: toDepartures(outcome, { userId, tenantId }) };
        }),
      ),

    delete: ({ tenantId, groupId }, cause) =>
      changeIn(sql, { hierarchy: toLock(tenantId), child: toNode({ groupId }) }, (step) =>
        recordIn(step, cause, async () => {
          if (!(await isOfTenant(step, { tenantId, groupId }))) return recordedIf(false);
          const child = toNode({ groupId });
          for (const id of toIds(await step.read(selectParents, [groupId]))) {
            await edges.detach(step, { child, parent: toNode({ groupId: id }) });
          }
          for (const statement of deleteTopGroup) await step.execute(statement, [groupId]);
          const revoked = (await revokeAll(step, { groupId })).map((change) => ({ ...change, tenantId }));
          return recordedIf(true, ...revoked, logged.ofTenant('group.deleted', tenantId, { groupId }));
        }),
      ),
  });
}

/** Creates what ends all memberships of a user who is deleted in the same step, and returns the changes. */
export function createMembershipRemoval(
  dialect: SqlDialect,
): (step: SqlExecutor, userId: UserId) => Promise<readonly LoggedChange[]> {
  const changeIn = createHierarchyLocks(dialect, edges.tables);
  return async (step, userId) => {
    const changes: LoggedChange[] = [];
    for (const tenantId of toIds(await step.read(selectTenants, [userId]))) {
      const ends = { hierarchy: toLock(tenantId), child: toNode({ userId }) };
      const left = await changeIn(step, ends, (inside) => leaveTenant(inside, userId, tenantId));
      changes.push(...toDepartures(left, { userId, tenantId }));
    }
    return changes;
  };
}

async function leaveTenant(step: SqlExecutor, userId: UserId, tenantId: string): Promise<readonly string[]> {
  await step.execute(leavePaths, [userId, tenantId]);
  return toIds(await step.write(leaveGroups, [userId, tenantId]));
}

function toDepartures(
  groupIds: readonly string[],
  { userId, tenantId }: { readonly userId: UserId; readonly tenantId: string },
): readonly LoggedChange[] {
  return groupIds.map((groupId) =>
    logged.membership('group.member_removed', { tenantId, groupId, member: { userId } }),
  );
}

/** Changes in different tenants have nothing in common. */
function toLock(tenantId: string): string {
  return `access.groups:${tenantId}`;
}

function toNode({ userId, groupId }: RoleHolder): Resource {
  return groupId === undefined ? { type: 'user', id: userId } : { type: 'group', id: groupId };
}

function toEdge({ member, groupId }: Membership): Edge {
  return { child: toNode(member), parent: toNode({ groupId }) };
}

/** Makes the groups of an edge groups of a tenant, unless they are of another one. */
async function claimGroups(step: SqlExecutor, { child, parent }: Edge, tenantId: string): Promise<void> {
  const groupIds = [parent, child].filter(({ type }) => type === 'group').map(({ id }) => id);
  // In a fixed order, to avoid deadlocks.
  for (const groupId of groupIds.toSorted()) {
    await step.execute(insertGroup, [groupId, tenantId]);
    if (!(await isOfTenant(step, { groupId, tenantId }))) throw new RefusedMembership('other_tenant');
  }
}

async function isOfTenant(
  step: SqlExecutor,
  { groupId, tenantId }: Pick<Membership, 'groupId' | 'tenantId'>,
): Promise<boolean> {
  const [row] = await step.read(selectTenant, [groupId]);
  return row?.['tenant_id'] === tenantId;
}

/** Rolls the step back, so that it leaves no group behind. */
class RefusedMembership extends Error {
  readonly outcome: Exclude<AddMemberOutcome, 'added'>;

  constructor(outcome: Exclude<AddMemberOutcome, 'added'>) {
    super('The member can not be added.');
    this.outcome = outcome;
  }
}

async function listMembers(
  sql: SqlExecutor,
  groupId: string,
  { limit, after }: PageRequest,
): Promise<Page<RoleHolder>> {
  const rows =
    after === null
      ? await sql.read(firstMembers, [groupId, limit + 1])
      : await sql.read(nextMembers, [groupId, limit + 1, ...parseCursor(after)]);
  const items = rows.slice(0, limit).map((row): RoleHolder => {
    const id = text(row['child_id']);
    return row['child_type'] === 'group' ? { groupId: id } : { userId: id as UserId };
  });
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? toHolderText(last) : null };
}

/** Any other text is before or after all members. */
function parseCursor(after: string): readonly [type: string, id: string] {
  const at = after.indexOf(':');
  return at === -1 ? [after, ''] : [after.slice(0, at), after.slice(at + 1)];
}

function toIds(rows: readonly SqlRow[]): readonly string[] {
  return rows.map((row) => text(row['id'])).toSorted(compareCodePoints);
}
