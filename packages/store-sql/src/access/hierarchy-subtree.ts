import type { RelatedResource, Resource } from '@x/store';
import { logged, type Recorded } from '@x/store/engine';
import type { Edge, HierarchyEdges } from './hierarchy-edges.ts';
import { integer, text } from '../columns.ts';
import type { SqlRow, SqlScope } from '../sql-driver.ts';
import { assignmentNames, toRoleAssignment } from './role-assignments.ts';

/**
 * The edges from what is removed along with $1 and $2 to what stays: to a resource below them that has a parent
 * elsewhere, or that is below such a resource.
 */
const selectSeams = `
  WITH below (type, id) AS (
    SELECT DISTINCT descendant_type, descendant_id FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
  ),
  gateway (type, id) AS (
    SELECT DISTINCT edge.child_type, edge.child_id
    FROM below CROSS JOIN access_edges AS edge WHERE edge.child_type = below.type AND edge.child_id = below.id
      AND NOT (edge.parent_type = $1 AND edge.parent_id = $2) AND NOT EXISTS (
      SELECT 1 FROM access_closure AS closure
      WHERE closure.ancestor_type = $1 AND closure.ancestor_id = $2
        AND closure.descendant_type = edge.parent_type AND closure.descendant_id = edge.parent_id
    )
  ),
  stays (type, id) AS (
    SELECT type, id FROM gateway
    UNION
    SELECT closure.descendant_type, closure.descendant_id
    FROM gateway CROSS JOIN access_closure AS closure
    WHERE closure.ancestor_type = gateway.type AND closure.ancestor_id = gateway.id
  ),
  goes (type, id) AS (
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)
    UNION ALL
    SELECT type, id FROM below
    WHERE NOT EXISTS (SELECT 1 FROM stays WHERE stays.type = below.type AND stays.id = below.id)
  )
  SELECT edge.child_type, edge.child_id, edge.parent_type, edge.parent_id
  FROM stays CROSS JOIN access_edges AS edge CROSS JOIN goes
  WHERE edge.child_type = stays.type AND edge.child_id = stays.id
    AND goes.type = edge.parent_type AND goes.id = edge.parent_id`;

/** The rows to delete are listed by their complete keys, so that SQLite looks each of them up. */
const subtree = `
  goes (type, id) AS (
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)
    UNION
    SELECT descendant_type, descendant_id FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
  )`;

const deleteSubtreeRoles = `
  WITH ${subtree}
  DELETE FROM access_role_assignments
  WHERE (holder, resource_type, resource_id, role) IN (
    SELECT assigned.holder, assigned.resource_type, assigned.resource_id, assigned.role
    FROM goes CROSS JOIN access_role_assignments AS assigned
    WHERE assigned.resource_type = goes.type AND assigned.resource_id = goes.id
  )
  RETURNING ${assignmentNames}`;

const deleteSubtreeEdges = `
  WITH ${subtree}
  DELETE FROM access_edges
  WHERE (child_type, child_id, parent_type, parent_id) IN (
    SELECT edge.child_type, edge.child_id, edge.parent_type, edge.parent_id
    FROM goes CROSS JOIN access_edges AS edge
    WHERE edge.child_type = goes.type AND edge.child_id = goes.id
  )`;

const deleteSubtreePaths = `
  WITH ${subtree}
  DELETE FROM access_closure
  WHERE (descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id) IN (
    SELECT path.descendant_type, path.descendant_id, path.ancestor_type, path.ancestor_id, path.via_type, path.via_id
    FROM goes CROSS JOIN access_closure AS path
    WHERE path.descendant_type = goes.type AND path.descendant_id = goes.id
  )`;

const selectDescendants = `
  SELECT descendant_type AS type, descendant_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE ancestor_type = $1 AND ancestor_id = $2 GROUP BY descendant_type, descendant_id`;

/**
 * Removes a resource with everything that has no other parent, and the roles on all of that; returns what was removed,
 * the resource first.
 */
export async function removeSubtree(
  step: SqlScope,
  edges: HierarchyEdges,
  { type, id }: Resource,
): Promise<Recorded<readonly Resource[]>> {
  const seams = await step.read(selectSeams, [type, id]);
  for (const seam of seams) await edges.detach(step, toEdge(seam));
  const below = await readDescendants(step, { type, id });
  const roles = await step.write(deleteSubtreeRoles, [type, id]);
  const edgeCount = await step.execute(deleteSubtreeEdges, [type, id]);
  await step.execute(deleteSubtreePaths, [type, id]);
  const outcome = [{ type, id }, ...below.map(({ resource }) => resource)];
  if (seams.length + roles.length + edgeCount === 0) return { outcome, recorded: [] };
  const revoked = roles.map((row) => logged.role('role.revoked', toRoleAssignment(row)));
  return { outcome, recorded: [...revoked, ...logged.removal(outcome)] };
}

/** Reads everything below a resource, the nearest first. */
export async function readDescendants(sql: SqlScope, { type, id }: Resource): Promise<readonly RelatedResource[]> {
  return toRelated(await sql.read(selectDescendants, [type, id]));
}

/** Converts rows of type, id and depth, the nearest first. */
export function toRelated(rows: readonly SqlRow[]): readonly RelatedResource[] {
  return rows
    .map(({ type, id, depth }) => ({ resource: { type: text(type), id: text(id) }, depth: integer(depth) }))
    .toSorted((a, b) => a.depth - b.depth);
}

function toEdge(row: SqlRow): Edge {
  return {
    child: { type: text(row['child_type']), id: text(row['child_id']) },
    parent: { type: text(row['parent_type']), id: text(row['parent_id']) },
  };
}
