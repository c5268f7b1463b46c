import { maxHierarchyDepth, type HierarchyStore } from '@x/store';
import { attach, detach, move, toEdgeValues } from './closure-edges.ts';
import { readDescendants, removeSubtree, toRelated } from './closure-subtree.ts';
import { createHierarchyLocks } from './hierarchy-locks.ts';
import type { OnScope, SqlDialect } from './sql-driver.ts';

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 GROUP BY ancestor_type, ancestor_id`;

const selectPath = `
  SELECT 1 FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 AND ancestor_type = $3 AND ancestor_id = $4`;

/** Builds the closure store of every scope. */
export function createSqlClosure({ dialect }: { readonly dialect: SqlDialect }): OnScope<HierarchyStore> {
  const change = createHierarchyLocks(dialect);
  return (sql) => ({
    attach: (child, parent, maxDepth = maxHierarchyDepth) =>
      change(sql, { child, parent }, (step) => attach(step, { child, parent }, maxDepth)),

    detach: (child, parent) => change(sql, { child }, (step) => detach(step, { child, parent })),

    move: (child, { from, to }, maxDepth = maxHierarchyDepth) =>
      change(sql, { child, parent: to }, (step) =>
        move(step, { old: { child, parent: from }, next: { child, parent: to }, maxDepth }),
      ),

    removeSubtree: (resource) => change(sql, { child: resource }, (step) => removeSubtree(step, resource)),

    ancestors: async ({ type, id }) => toRelated(await sql.read(selectAncestors, [type, id])),

    descendants: (resource) => readDescendants(sql, resource),

    hasPath: async (ancestor, descendant) =>
      (await sql.read(selectPath, toEdgeValues({ child: descendant, parent: ancestor }))).length > 0,
  });
}
