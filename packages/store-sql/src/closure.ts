import {
  maxHierarchyDepth,
  type AttachOutcome,
  type ClosureStore,
  type MoveOutcome,
  type RelatedResource,
  type Resource,
} from '@x/store';

import type { BooleanColumn, IntegerColumn } from './column.ts';
import type { SqlRow, SqlScope, SqlValue } from './sql-driver.ts';

// The closure holds each pair of a resource and one above it once, with the length of the longest path between the two,
// and follows from the edges. $1 and $2 are the child, $3 and $4 the parent, wherever a statement has both.

/** Takes its turn: until the transaction is over, no other one changes the hierarchy. */
const takeTurn = `
  INSERT INTO auth_counters (name, value) VALUES ('access.hierarchy', 1)
  ON CONFLICT (name) DO UPDATE SET value = auth_counters.value + 1`;

const selectObstacles = `
  SELECT
    EXISTS (
      SELECT 1 FROM access_edges
      WHERE child_type = $1 AND child_id = $2 AND parent_type = $3 AND parent_id = $4
    ) AS is_present,
    EXISTS (
      SELECT 1 FROM access_closure
      WHERE ancestor_type = $1 AND ancestor_id = $2 AND descendant_type = $3 AND descendant_id = $4
    ) AS is_above,
    (SELECT COALESCE(MAX(depth), 0) FROM access_closure WHERE descendant_type = $3 AND descendant_id = $4) + 1 +
    (SELECT COALESCE(MAX(depth), 0) FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2) AS depth`;

const insertEdge = `
  INSERT INTO access_edges (child_type, child_id, parent_type, parent_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (child_type, child_id, parent_type, parent_id) DO NOTHING`;

const deleteEdge = `
  DELETE FROM access_edges WHERE child_type = $1 AND child_id = $2 AND parent_type = $3 AND parent_id = $4`;

/** The child and all below it, the parent and all above it, each with the longest way there. */
const bothSides = `
  below (type, id, depth) AS (
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), 0
    UNION ALL
    SELECT descendant_type, descendant_id, depth FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
  ),
  above (type, id, depth) AS (
    SELECT CAST($3 AS TEXT), CAST($4 AS TEXT), 0
    UNION ALL
    SELECT ancestor_type, ancestor_id, depth FROM access_closure WHERE descendant_type = $3 AND descendant_id = $4
  )`;

/** Each new path goes through the new edge. */
const insertPaths = `
  WITH ${bothSides}
  INSERT INTO access_closure (descendant_type, descendant_id, ancestor_type, ancestor_id, depth)
  SELECT below.type, below.id, above.type, above.id, below.depth + 1 + above.depth
  FROM below CROSS JOIN above WHERE TRUE
  ON CONFLICT (descendant_type, descendant_id, ancestor_type, ancestor_id) DO UPDATE SET
    depth = CASE WHEN excluded.depth > access_closure.depth THEN excluded.depth ELSE access_closure.depth END`;

const deletePaths = `
  WITH ${bothSides}
  DELETE FROM access_closure
  WHERE (descendant_type, descendant_id, ancestor_type, ancestor_id) IN (
    SELECT below.type, below.id, above.type, above.id FROM below CROSS JOIN above
  )`;

/** Of the pairs that {@link deletePaths} deleted, those that other edges still connect. */
const restorePaths = `
  WITH RECURSIVE ${bothSides},
  climb (descendant_type, descendant_id, ancestor_type, ancestor_id, depth) AS (
    SELECT edge.child_type, edge.child_id, edge.parent_type, edge.parent_id, 1
    FROM below CROSS JOIN access_edges AS edge WHERE edge.child_type = below.type AND edge.child_id = below.id
    UNION
    SELECT climb.descendant_type, climb.descendant_id, edge.parent_type, edge.parent_id, climb.depth + 1
    FROM climb CROSS JOIN access_edges AS edge
    WHERE edge.child_type = climb.ancestor_type AND edge.child_id = climb.ancestor_id
  )
  INSERT INTO access_closure (descendant_type, descendant_id, ancestor_type, ancestor_id, depth)
  SELECT climb.descendant_type, climb.descendant_id, climb.ancestor_type, climb.ancestor_id, MAX(climb.depth)
  FROM climb JOIN above ON above.type = climb.ancestor_type AND above.id = climb.ancestor_id
  GROUP BY climb.descendant_type, climb.descendant_id, climb.ancestor_type, climb.ancestor_id`;

/**
 * The edges from what goes with $1 and $2 to what stays: to a resource below them that has a parent elsewhere, or that
 * is below such a one.
 */
const selectSeams = `
  WITH below (type, id) AS (
    SELECT descendant_type, descendant_id FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
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

/** The rows to delete are named by their whole keys, so that SQLite looks each of them up. */
const subtree = `
  goes (type, id) AS (
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT)
    UNION ALL
    SELECT descendant_type, descendant_id FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
  )`;

const deleteSubtreeRoles = `
  WITH ${subtree}
  DELETE FROM access_role_assignments
  WHERE (user_id, resource_type, resource_id, role) IN (
    SELECT held.user_id, held.resource_type, held.resource_id, held.role
    FROM goes CROSS JOIN access_role_assignments AS held
    WHERE held.resource_type = goes.type AND held.resource_id = goes.id
  )`;

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
  WHERE (descendant_type, descendant_id, ancestor_type, ancestor_id) IN (
    SELECT path.descendant_type, path.descendant_id, path.ancestor_type, path.ancestor_id
    FROM goes CROSS JOIN access_closure AS path
    WHERE path.descendant_type = goes.type AND path.descendant_id = goes.id
  )`;

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2`;

const selectDescendants = `
  SELECT descendant_type AS type, descendant_id AS id, depth FROM access_closure
  WHERE ancestor_type = $1 AND ancestor_id = $2`;

const selectPath = `
  SELECT 1 FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 AND ancestor_type = $3 AND ancestor_id = $4`;

/** Builds the closure store on a SQL scope. */
export function createSqlClosure(sql: SqlScope): ClosureStore {
  const change = <T>(work: (step: SqlScope) => Promise<T>): Promise<T> =>
    sql.step(async (step) => {
      await step.execute(takeTurn, []);
      return work(step);
    });
  return {
    attach: (child, parent, maxDepth = maxHierarchyDepth) =>
      change((step) => attach(step, { child, parent }, maxDepth)),

    detach: (child, parent) => change((step) => detach(step, { child, parent })),

    move: (child, { from, to }, maxDepth = maxHierarchyDepth) =>
      change((step) => move(step, { old: { child, parent: from }, next: { child, parent: to }, maxDepth })),

    removeSubtree: (resource) => change((step) => removeSubtree(step, resource)),

    ancestors: async ({ type, id }) => toRelated(await sql.read(selectAncestors, [type, id])),

    descendants: async ({ type, id }) => toRelated(await sql.read(selectDescendants, [type, id])),

    hasPath: async (ancestor, descendant) =>
      (await sql.read(selectPath, toEdgeValues({ child: descendant, parent: ancestor }))).length > 0,
  };
}

interface Edge {
  readonly child: Resource;
  readonly parent: Resource;
}

async function attach(step: SqlScope, edge: Edge, maxDepth: number): Promise<AttachOutcome> {
  const obstacles = await findObstacles(step, edge);
  if (obstacles.isPresent) return 'present';
  const refusal = toRefusal(obstacles, maxDepth);
  if (refusal) return refusal;
  await connect(step, edge);
  return 'attached';
}

async function detach(step: SqlScope, edge: Edge): Promise<boolean> {
  const values = toEdgeValues(edge);
  if ((await step.execute(deleteEdge, values)) === 0) return false;
  await step.execute(deletePaths, values);
  await step.execute(restorePaths, values);
  return true;
}

async function move(
  step: SqlScope,
  { old, next, maxDepth }: { readonly old: Edge; readonly next: Edge; readonly maxDepth: number },
): Promise<MoveOutcome> {
  if (!(await findObstacles(step, old)).isPresent) return 'missing';
  // The old edge leads to nothing above the new parent, or it would be a cycle.
  const refusal = toRefusal(await findObstacles(step, next), maxDepth);
  if (refusal) return refusal;
  await detach(step, old);
  await connect(step, next);
  return 'moved';
}

async function connect(step: SqlScope, edge: Edge): Promise<void> {
  const values = toEdgeValues(edge);
  await step.execute(insertEdge, values);
  await step.execute(insertPaths, values);
}

async function removeSubtree(step: SqlScope, { type, id }: Resource): Promise<readonly Resource[]> {
  for (const seam of await step.read(selectSeams, [type, id])) await detach(step, toEdge(seam));
  const below = toRelated(await step.read(selectDescendants, [type, id]));
  for (const text of [deleteSubtreeRoles, deleteSubtreeEdges, deleteSubtreePaths]) await step.execute(text, [type, id]);
  return [{ type, id }, ...below.map(({ resource }) => resource)];
}

interface Obstacles {
  readonly isPresent: boolean;
  readonly isCycle: boolean;
  readonly depth: number;
}

async function findObstacles(step: SqlScope, edge: Edge): Promise<Obstacles> {
  const { child, parent } = edge;
  const [columns] = await step.read(selectObstacles, toEdgeValues(edge));
  if (!columns) throw new TypeError('A select without a table returned no row.');
  const row = columns as unknown as ObstacleRow;
  return {
    isPresent: Boolean(row.is_present),
    isCycle: Boolean(row.is_above) || (child.type === parent.type && child.id === parent.id),
    depth: Number(row.depth),
  };
}

function toRefusal({ isCycle, depth }: Obstacles, maxDepth: number): 'cycle' | 'too_deep' | undefined {
  if (isCycle) return 'cycle';
  return depth > maxDepth ? 'too_deep' : undefined;
}

function toEdgeValues({ child, parent }: Edge): readonly SqlValue[] {
  return [child.type, child.id, parent.type, parent.id];
}

function toEdge(columns: SqlRow): Edge {
  const row = columns as unknown as EdgeRow;
  return {
    child: { type: row.child_type, id: row.child_id },
    parent: { type: row.parent_type, id: row.parent_id },
  };
}

function toRelated(rows: readonly SqlRow[]): readonly RelatedResource[] {
  return rows
    .map((columns) => {
      const { type, id, depth } = columns as unknown as RelatedRow;
      return { resource: { type, id }, depth: Number(depth) };
    })
    .toSorted((a, b) => a.depth - b.depth);
}

interface ObstacleRow {
  readonly is_present: BooleanColumn;
  readonly is_above: BooleanColumn;
  readonly depth: IntegerColumn;
}

interface EdgeRow {
  readonly child_type: string;
  readonly child_id: string;
  readonly parent_type: string;
  readonly parent_id: string;
}

interface RelatedRow {
  readonly type: string;
  readonly id: string;
  readonly depth: IntegerColumn;
}
