import { type HierarchyStore, maxHierarchyDepth } from '@x/store';
import { logged, recordedIf } from '@x/store/engine';
import { createRecording } from '../events.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { HierarchyEdges, toEdgeValues } from './hierarchy-edges.ts';
import { createHierarchyLocks } from './hierarchy-locks.ts';
import { createSubtreeRemoval, readDescendants, toRelated } from './hierarchy-subtree.ts';

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 GROUP BY ancestor_type, ancestor_id`;

const selectPath = `
  SELECT 1 FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 AND ancestor_type = $3 AND ancestor_id = $4`;

/** The name of its locks. */
const hierarchy = 'access.hierarchy';

/** Builds the hierarchy store. */
export function createSqlHierarchy({ dialect, clock }: SqlStoreDependencies): OnExecutor<HierarchyStore> {
  const edges = new HierarchyEdges({ edges: 'access_edges', closure: 'access_closure' });
  const removeSubtree = createSubtreeRemoval(dialect, edges);
  const changeIn = createHierarchyLocks(dialect, edges.tables);
  const { recordIn } = createRecording({ clock });
  return (sql) => ({
    attach: ({ child, parent, maxDepth = maxHierarchyDepth }, cause) =>
      changeIn(sql, { hierarchy, child, parent }, (step) =>
        recordIn(step, cause, async () => {
          const outcome = await edges.attach(step, { child, parent }, maxDepth);
          const change = logged.edge('resource.attached', { child, parent });
          return { outcome, recorded: outcome === 'attached' ? [change] : [] };
        }),
      ),

    detach: ({ child, parent }, cause) =>
      changeIn(sql, { hierarchy, child }, (step) =>
        recordIn(step, cause, async () =>
          recordedIf(await edges.detach(step, { child, parent }), logged.edge('resource.detached', { child, parent })),
        ),
      ),

    move: (child, { from, to, maxDepth = maxHierarchyDepth }, cause) =>
      changeIn(sql, { hierarchy, child, parent: to }, (step) =>
        recordIn(step, cause, async () => {
          const ends = { old: { child, parent: from }, next: { child, parent: to }, maxDepth };
          const outcome = await edges.move(step, ends);
          return { outcome, recorded: outcome === 'moved' ? [logged.move(child, { from, to })] : [] };
        }),
      ),

    removeSubtree: (resource, cause) =>
      changeIn(sql, { hierarchy, child: resource }, (step) =>
        recordIn(step, cause, () => removeSubtree(step, resource)),
      ),

    ancestors: async ({ type, id }) => toRelated(await sql.read(selectAncestors, [type, id])),

    descendants: (resource) => readDescendants(sql, resource),

    hasPath: async (ancestor, descendant) =>
      (await sql.read(selectPath, toEdgeValues({ child: descendant, parent: ancestor }))).length > 0,
  });
}
