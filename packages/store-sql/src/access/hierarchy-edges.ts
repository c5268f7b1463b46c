import type { AttachOutcome, MoveOutcome, Resource } from '@x/store';
import { boolean, integer, text } from '../columns.ts';
import type { SqlExecutor, SqlValue } from '../sql-executor.ts';

// The closure is derived from the edges. It contains each resource with every edge above it: from `via` to an ancestor,
// with the length of the longest path up that ends with this edge. In every statement, $1 and $2 are the child, $3 and
// $4 the parent, if both occur. Statements on the child and everything below it are about a part of that, after $5 and
// $6: a type and an id.

/** How many resources a part has: as many as take SQLite, which keeps the event loop, a few milliseconds. */
export const atOnce = 500;

/** The tables of one hierarchy. */
export interface EdgeTables {
  readonly edges: string;
  readonly closure: string;
}

/** The statements that change a hierarchy. */
interface EdgeStatements {
  readonly selectObstacles: string;
  readonly insertEdge: string;
  readonly deleteEdge: string;
  readonly insertPaths: string;
  readonly deletePaths: string;
  readonly restorePaths: string;
  readonly selectLastOfPart: string;
}

const key = 'descendant_type, descendant_id, ancestor_type, ancestor_id, via_type, via_id';

function toEdgeStatements({ edges, closure }: EdgeTables): EdgeStatements {
  const selectObstacles = `
  SELECT
    EXISTS (
      SELECT 1 FROM ${edges}
      WHERE child_type = $1 AND child_id = $2 AND parent_type = $3 AND parent_id = $4
    ) AS is_present,
    EXISTS (
      SELECT 1 FROM ${closure}
      WHERE ancestor_type = $1 AND ancestor_id = $2 AND descendant_type = $3 AND descendant_id = $4
    ) AS is_above,
    (SELECT COALESCE(MAX(depth), 0) FROM ${closure} WHERE descendant_type = $3 AND descendant_id = $4) AS above,
    (SELECT COALESCE(MAX(depth), 0) FROM ${closure} WHERE ancestor_type = $1 AND ancestor_id = $2) AS below`;

  const insertEdge = `
  INSERT INTO ${edges} (child_type, child_id, parent_type, parent_id) VALUES ($1, $2, $3, $4)
  ON CONFLICT (child_type, child_id, parent_type, parent_id) DO NOTHING`;

  const deleteEdge = `
  DELETE FROM ${edges} WHERE child_type = $1 AND child_id = $2 AND parent_type = $3 AND parent_id = $4`;

  /*
   * A part of the child and everything below it, with the longest path there; and the edges above the child by way of
   * the parent, with the longest path from the child to their upper ends.
   */
  const bothSides = `
  below (type, id, depth) AS (
    SELECT CAST($1 AS TEXT), CAST($2 AS TEXT), 0 WHERE CAST($5 AS TEXT) = ''
    UNION ALL
    SELECT type, id, depth FROM (
      SELECT descendant_type AS type, descendant_id AS id, MAX(depth) AS depth FROM ${closure}
      WHERE ancestor_type = $1 AND ancestor_id = $2 AND (descendant_type, descendant_id) > ($5, $6)
      GROUP BY descendant_type, descendant_id ORDER BY descendant_type, descendant_id LIMIT ${atOnce}
    ) AS part
  ),
  above (type, id, via_type, via_id, depth) AS (
    SELECT CAST($3 AS TEXT), CAST($4 AS TEXT), CAST($1 AS TEXT), CAST($2 AS TEXT), 1
    UNION ALL
    SELECT ancestor_type, ancestor_id, via_type, via_id, depth + 1 FROM ${closure}
    WHERE descendant_type = $3 AND descendant_id = $4
  )`;

  // Each new path goes through the new edge.
  const insertPaths = `
  WITH ${bothSides}
  INSERT INTO ${closure} (${key}, depth)
  SELECT below.type, below.id, above.type, above.id, above.via_type, above.via_id, below.depth + above.depth
  FROM below CROSS JOIN above WHERE TRUE
  ON CONFLICT (${key}) DO UPDATE SET
    depth = CASE WHEN excluded.depth > ${closure}.depth THEN excluded.depth ELSE ${closure}.depth END`;

  const deletePaths = `
  WITH ${bothSides}
  DELETE FROM ${closure}
  WHERE (${key}) IN (
    SELECT below.type, below.id, above.type, above.id, above.via_type, above.via_id FROM below CROSS JOIN above
  )`;

  // Restores from the rows that `deletePaths` deleted those that other edges still lead to.
  const restorePaths = `
  WITH RECURSIVE ${bothSides},
  climb (${key}, depth) AS (
    SELECT edge.child_type, edge.child_id, edge.parent_type, edge.parent_id, edge.child_type, edge.child_id, 1
    FROM below CROSS JOIN ${edges} AS edge WHERE edge.child_type = below.type AND edge.child_id = below.id
    UNION
    SELECT climb.descendant_type, climb.descendant_id,
      edge.parent_type, edge.parent_id, edge.child_type, edge.child_id, climb.depth + 1
    FROM climb CROSS JOIN ${edges} AS edge
    WHERE edge.child_type = climb.ancestor_type AND edge.child_id = climb.ancestor_id
  )
  INSERT INTO ${closure} (${key}, depth)
  SELECT ${key}, MAX(depth) FROM climb
  WHERE (ancestor_type, ancestor_id, via_type, via_id) IN (SELECT type, id, via_type, via_id FROM above)
  GROUP BY ${key}`;

  const selectLastOfPart = `
  SELECT descendant_type AS type, descendant_id AS id FROM ${closure}
  WHERE ancestor_type = $1 AND ancestor_id = $2 AND (descendant_type, descendant_id) > ($3, $4)
  GROUP BY descendant_type, descendant_id ORDER BY descendant_type, descendant_id LIMIT 1 OFFSET ${atOnce - 1}`;

  return { selectObstacles, insertEdge, deleteEdge, insertPaths, deletePaths, restorePaths, selectLastOfPart };
}

/** A resource and one of its parents. */
export interface Edge {
  readonly child: Resource;
  readonly parent: Resource;
}

/** Changes the edges of one hierarchy, and what follows from them. */
export class HierarchyEdges {
  readonly tables: EdgeTables;
  readonly #statements: EdgeStatements;

  constructor(tables: EdgeTables) {
    this.tables = tables;
    this.#statements = toEdgeStatements(tables);
  }

  /** Attaches a resource to a parent, unless that forms a cycle or goes too deep. */
  async attach(step: SqlExecutor, edge: Edge, maxDepth: number): Promise<AttachOutcome> {
    const obstacles = await this.#findObstacles(step, edge);
    if (obstacles.isPresent) return 'present';
    const refusal = toRefusal(obstacles, maxDepth);
    if (refusal) return refusal;
    await this.#connect(step, edge, obstacles);
    return 'attached';
  }

  /** Detaches a resource from a parent, and says whether it was attached. */
  async detach(step: SqlExecutor, edge: Edge): Promise<boolean> {
    const { deleteEdge, deletePaths, restorePaths } = this.#statements;
    if ((await step.execute(deleteEdge, toEdgeValues(edge))) === 0) return false;
    await this.#changePaths(step, edge, [deletePaths, restorePaths]);
    return true;
  }

  /** Moves a resource from one parent to another, in one step. */
  async move(
    step: SqlExecutor,
    { old, next, maxDepth }: { readonly old: Edge; readonly next: Edge; readonly maxDepth: number },
  ): Promise<MoveOutcome> {
    if (!(await this.#findObstacles(step, old)).isPresent) return 'missing';
    // The old edge leads to nothing above the new parent; otherwise it would form a cycle.
    const obstacles = await this.#findObstacles(step, next);
    const refusal = toRefusal(obstacles, maxDepth);
    if (refusal) return refusal;
    await this.detach(step, old);
    await this.#connect(step, next, obstacles);
    return 'moved';
  }

  async #connect(step: SqlExecutor, edge: Edge, { below }: Obstacles): Promise<void> {
    const { insertEdge, insertPaths } = this.#statements;
    const values = toEdgeValues(edge);
    await step.execute(insertEdge, values);
    if (below === 0) await step.execute(insertPaths, [...values, ...beforeAll]);
    else await this.#changePaths(step, edge, [insertPaths]);
  }

  /** Runs statements on the child and everything below it, a part at a time. */
  async #changePaths(step: SqlExecutor, edge: Edge, statements: readonly string[]): Promise<void> {
    const { type, id } = edge.child;
    for (let after = beforeAll; ;) {
      for (const statement of statements) await step.execute(statement, [...toEdgeValues(edge), ...after]);
      const [last] = await step.read(this.#statements.selectLastOfPart, [type, id, ...after]);
      if (!last) return;
      after = [text(last['type']), text(last['id'])];
    }
  }

  async #findObstacles(step: SqlExecutor, edge: Edge): Promise<Obstacles> {
    const { child, parent } = edge;
    const [row] = await step.read(this.#statements.selectObstacles, toEdgeValues(edge));
    if (!row) throw new TypeError('A select without a table returned no row.');
    return {
      isPresent: boolean(row['is_present']),
      isCycle: boolean(row['is_above']) || (child.type === parent.type && child.id === parent.id),
      above: integer(row['above']),
      below: integer(row['below']),
    };
  }
}

/** Every type follows the empty text. */
const beforeAll: readonly SqlValue[] = ['', ''];

interface Obstacles {
  readonly isPresent: boolean;
  readonly isCycle: boolean;
  /** How many levels there are above the parent. */
  readonly above: number;
  /** How many levels there are below the child. */
  readonly below: number;
}

function toRefusal({ isCycle, above, below }: Obstacles, maxDepth: number): 'cycle' | 'too_deep' | undefined {
  if (isCycle) return 'cycle';
  return above + 1 + below > maxDepth ? 'too_deep' : undefined;
}

/** Binds an edge as `$1` to `$4`. */
export function toEdgeValues({ child, parent }: Edge): readonly SqlValue[] {
  return [child.type, child.id, parent.type, parent.id];
}
