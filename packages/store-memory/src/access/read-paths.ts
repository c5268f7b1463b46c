import type { GrantedRoles, Resource, RoleByGroup, UserId } from '@x/store';

import type { AssignmentTable } from './assignment-table.ts';
import { groupKeysOf, toMemberKey } from './holders.ts';
import type { EdgeTable } from './hierarchy.ts';
import { toResourceKey } from './resource-key.ts';

/** The tables that say who has which role where. */
export interface RoleTables {
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
  /** Who is in which group, as a hierarchy of its own. */
  readonly memberships: EdgeTable;
}

/** Reads the roles of a user and their groups along every path up from each of the resources. */
export function readPaths(tables: RoleTables, userId: UserId, resources: readonly Resource[]): readonly GrantedRoles[] {
  const { assignments, edges, memberships } = tables;
  const seen = resources.length > 1 ? new Map<string, GrantedRoles>() : undefined;
  const climbing = { assignments, edges, userId, groupKeys: groupKeysOf(memberships, toMemberKey(userId)) };
  return resources.map((resource) => climb(climbing, resource, toResourceKey(resource), seen));
}

interface Climb {
  readonly assignments: AssignmentTable;
  readonly edges: EdgeTable;
  readonly userId: UserId;
  readonly groupKeys: ReadonlySet<string>;
}

/**
 * @param known - what was climbed already; undefined as long as nothing can be reached twice
 */
function climb(
  climbing: Climb,
  resource: Resource,
  key: string,
  known: Map<string, GrantedRoles> | undefined,
): GrantedRoles {
  const seen = known?.get(key);
  if (seen) return seen;
  const { assignments, edges, userId } = climbing;
  const above = [...edges.selectFirst(key)];
  const reached = known ?? (above.length > 1 ? new Map<string, GrantedRoles>() : undefined);
  const parents = above.map(({ parent, parentKey }) => climb(climbing, parent, parentKey, reached));
  const roles = assignments.get(userId, key)?.roles ?? none;
  const path = { resource, roles, rolesByGroup: toRolesByGroup(climbing, key), parents };
  reached?.set(key, path);
  return path;
}

function toRolesByGroup({ assignments, groupKeys }: Climb, key: string): readonly RoleByGroup[] {
  if (groupKeys.size === 0) return none;
  return Array.from(groupKeys, (groupKey) => assignments.get(groupKey, key)).flatMap((direct) => {
    const groupId = direct?.holder.groupId;
    return groupId === undefined ? [] : (direct?.roles.map((role) => ({ groupId, role })) ?? []);
  });
}

const none: readonly never[] = Object.freeze([]);
