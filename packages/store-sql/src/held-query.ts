import type { HeldResources, RoleKind } from '@x/store';

import type { SqlValue } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';

/** A query with the values that it binds. */
export interface HeldQuery {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/**
 * Writes the query of the ids of all resources that a question is about, each once; it binds from `$first` on.
 *
 * It walks down from what the user holds, edge by edge, and maps the role at each step by the hops. It keeps to roles
 * that can still become one of those that are asked for, where the hops do.
 */
export function toHeldQuery({ userId, type, roles, hops }: HeldResources, first: number): HeldQuery {
  const goals = roles.map((role): RoleKind => ({ type, role }));
  if (goals.length === 0)
    return { text: 'SELECT resource_id AS id FROM access_role_assignments WHERE 1 = 0', values: [] };
  const goal = toValuesList(goals.map(toKey), first + 1);
  const start = toValuesList([...goals, ...hops.map(({ parent }) => parent)].map(toKey), next(first + 1, goal.values));
  const values = [userId, ...goal.values, ...start.values];
  if (hops.length === 0) return { text: toDirect(goal.text, first), values: values.slice(0, goal.values.length + 1) };
  const rows = hops.map(({ parent, child }) => [...toKey(parent), ...toKey(child)]);
  const hop = toValuesList(rows, first + values.length);
  const text = toWalk({ first, goal: goal.text, start: start.text, hop: hop.text });
  return { text, values: [...values, ...hop.values] };
}

const toDirect = (goal: string, first: number): string => `
  SELECT DISTINCT resource_id AS id FROM access_role_assignments
  WHERE user_id = $${first} AND (resource_type, role) IN (VALUES ${goal})`;

interface WalkParts {
  readonly first: number;
  readonly goal: string;
  readonly start: string;
  readonly hop: string;
}

const toWalk = ({ first, goal, start, hop }: WalkParts): string => `
  WITH RECURSIVE hop (parent_type, parent_role, child_type, child_role) AS (VALUES ${hop}),
  held (type, id, role) AS (
    SELECT resource_type, resource_id, role FROM access_role_assignments
    WHERE user_id = $${first} AND (resource_type, role) IN (VALUES ${start})
    UNION
    SELECT edge.child_type, edge.child_id, hop.child_role
    FROM held CROSS JOIN access_edges AS edge CROSS JOIN hop
    WHERE edge.parent_type = held.type AND edge.parent_id = held.id
      AND hop.parent_type = held.type AND hop.parent_role = held.role AND hop.child_type = edge.child_type
  )
  SELECT DISTINCT id FROM held WHERE (type, role) IN (VALUES ${goal})`;

function toKey({ type, role }: RoleKind): readonly [string, string] {
  return [type, role];
}

function next(first: number, values: readonly SqlValue[]): number {
  return first + values.length;
}
