import { type HierarchyStore, maxHierarchyDepth } from '@x/store';
import type { OnScope, SqlStoreDependencies } from '../sql-driver.ts';
import { HierarchyEdges, toEdgeValues } from './hierarchy-edges.ts';
import { createHierarchyLocks } from './hierarchy-locks.ts';
import { readDescendants, removeSubtree, toRelated } from './hierarchy-subtree.ts';

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 GROUP BY ancestor_type, ancestor_id`;

const selectPath = `
  SELECT 1 FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 AND ancestor_type = $3 AND ancestor_id = $4`;

/** The name of its locks. */
const hierarchy = 'access.hierarchy';

/** Builds the hierarchy store of every scope. */
export function createSqlHierarchy({ dialect }: SqlStoreDependencies): OnScope<HierarchyStore> {
  const edges = new HierarchyEdges({ edges: 'access_edges', closure: 'access_closure' });
  const changeIn = createHierarchyLocks(dialect, edges.tables);
  return (sql) => ({
    attach: (child, parent, maxDepth = maxHierarchyDepth) =>
      changeIn(sql, { hierarchy, child, parent }, (step) => edges.attach(step, { child, parent }, maxDepth)),

    detach: (child, parent) => changeIn(sql, { hierarchy, child }, (step) => edges.detach(step, { child, parent })),

    move: (child, { from, to }, maxDepth = maxHierarchyDepth) =>
      changeIn(sql, { hierarchy, child, parent: to }, (step) =>
        edges.move(step, { old: { child, parent: from }, next: { child, parent: to }, maxDepth }),
      ),

    removeSubtree: (resource) =>
      changeIn(sql, { hierarchy, child: resource }, (step) => removeSubtree(step, edges, resource)),

    ancestors: async ({ type, id }) => toRelated(await sql.read(selectAncestors, [type, id])),

    descendants: (resource) => readDescendants(sql, resource),

    hasPath: async (ancestor, descendant) =>
      (await sql.read(selectPath, toEdgeValues({ child: descendant, parent: ancestor }))).length > 0,
  });
}
