import { maxHierarchyDepth, type ClosureStore } from '@x/store';
import { attach, detach, move, toEdgeValues } from './closure-edges.ts';
import { readDescendants, removeSubtree, toRelated } from './closure-subtree.ts';
import type { SqlScope } from './sql-driver.ts';

/** Takes its turn: until the transaction is over, no other one changes the hierarchy. */
const takeTurn = `
  INSERT INTO auth_counters (name, value) VALUES ('access.hierarchy', 1)
  ON CONFLICT (name) DO UPDATE SET value = auth_counters.value + 1`;

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 GROUP BY ancestor_type, ancestor_id`;

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

    descendants: (resource) => readDescendants(sql, resource),

    hasPath: async (ancestor, descendant) =>
      (await sql.read(selectPath, toEdgeValues({ child: descendant, parent: ancestor }))).length > 0,
  };
}
