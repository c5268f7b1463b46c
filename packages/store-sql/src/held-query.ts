import type { HeldResources, RoleKind } from '@x/store';

import { type Bind, toValuesList } from './values-list.ts';

/**
 * Writes the query of the ids of all resources that a question is about.
 *
 * It walks down from what the user holds, edge by edge, and maps the role at each step by the hops. It starts only from
 * roles that a hop passes on or that are asked for.
 */
export function toHeldQuery({ userId, type, roles, hops }: HeldResources, bind: Bind): string {
  if (roles.length === 0) return nothing;
  const goals = roles.map((role): RoleKind => ({ type, role }));
  const user = bind(userId);
  if (hops.length === 0) {
    return `
  SELECT resource_id AS id FROM access_role_assignments
  WHERE user_id = ${user} AND (resource_type, role) IN (VALUES ${toValuesList(goals.map(toKey), bind)})`;
  }
  const starts = [...goals, ...hops.map(({ parent }) => parent)];
  const rows = hops.map(({ parent, child }) => [...toKey(parent), ...toKey(child)]);
  return `
  WITH RECURSIVE hop (parent_type, parent_role, child_type, child_role) AS (VALUES ${toValuesList(rows, bind)}),
  held (type, id, role) AS (
    SELECT resource_type, resource_id, role FROM access_role_assignments
    WHERE user_id = ${user} AND (resource_type, role) IN (VALUES ${toValuesList(starts.map(toKey), bind)})
    UNION
    SELECT edge.child_type, edge.child_id, hop.child_role
    FROM held CROSS JOIN access_edges AS edge CROSS JOIN hop
    WHERE edge.parent_type = held.type AND edge.parent_id = held.id
      AND hop.parent_type = held.type AND hop.parent_role = held.role AND hop.child_type = edge.child_type
  )
  SELECT id FROM held WHERE (type, role) IN (VALUES ${toValuesList(goals.map(toKey), bind)})`;
}

const nothing = 'SELECT resource_id AS id FROM access_role_assignments WHERE 1 = 0';

function toKey({ type, role }: RoleKind): readonly [string, string] {
  return [type, role];
}
