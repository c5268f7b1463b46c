import { type HierarchyStore, maxHierarchyDepth, type Resource } from '@x/store';
import type { OnScope, SqlDialect, SqlLocks, SqlScope, SqlStoreDependencies, SqlValue } from '../sql-driver.ts';
import { attach, detach, move, toEdgeValues } from './hierarchy-edges.ts';
import { readDescendants, removeSubtree, toRelated } from './hierarchy-subtree.ts';

const selectAncestors = `
  SELECT ancestor_type AS type, ancestor_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 GROUP BY ancestor_type, ancestor_id`;

const selectPath = `
  SELECT 1 FROM access_closure
  WHERE descendant_type = $1 AND descendant_id = $2 AND ancestor_type = $3 AND ancestor_id = $4`;

/** Builds the hierarchy store of every scope. */
export function createSqlHierarchy({ dialect }: SqlStoreDependencies): OnScope<HierarchyStore> {
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

/** The resource that a change of the hierarchy affects, and its new parent, if any. */
interface ChangedEnds {
  readonly child: Resource;
  readonly parent?: Resource;
}

type ChangeHierarchy = <T>(sql: SqlScope, ends: ChangedEnds, change: (step: SqlScope) => Promise<T>) => Promise<T>;

/**
 * Runs changes of the hierarchy concurrently if they can't interfere, and one after another otherwise.
 *
 * A change of a resource without descendants affects only that resource's rows. Such a change shares the lock of the
 * hierarchy with others of its kind. It locks its resource, so that nobody adds something below it meanwhile, and
 * shares the lock of the parent, so that the parent is not moved meanwhile even if it has no other descendants.
 * Everything above the parent has descendants, and changing any of that locks the whole hierarchy.
 */
function createHierarchyLocks({ locks }: SqlDialect): ChangeHierarchy {
  if (locks === null) return (sql, _ends, change) => sql.step(change);
  const lockHierarchy = `SELECT ${locks.exclusive('$1')}`;
  return async (sql, ends, change) => {
    try {
      return await sql.step(async (step) => {
        const { text, values } = lockEnds(locks, ends);
        await step.read(text, values);
        await assertLeaf(step, ends.child);
        return change(step);
      });
    } catch (error) {
      if (!(error instanceof NotALeaf)) throw error;
    }
    return sql.step(async (step) => {
      await step.read(lockHierarchy, [hierarchy]);
      return change(step);
    });
  };
}

const hierarchy = 'access.hierarchy';

/** Several locks are taken in a fixed order, to avoid deadlocks. */
function lockEnds(
  { exclusive, shared }: SqlLocks,
  { child, parent }: ChangedEnds,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const first = toName(child);
  if (!parent) return { text: `SELECT ${shared('$1')}, ${exclusive('$2')}`, values: [hierarchy, first] };
  const second = toName(parent);
  return first <= second
    ? { text: `SELECT ${shared('$1')}, ${exclusive('$2')}, ${shared('$3')}`, values: [hierarchy, first, second] }
    : { text: `SELECT ${shared('$1')}, ${shared('$2')}, ${exclusive('$3')}`, values: [hierarchy, second, first] };
}

function toName({ type, id }: Resource): string {
  return `${hierarchy}:${type}:${id}`;
}

const selectBelow = 'SELECT 1 FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2 LIMIT 1';

/**
 * @throws NotALeaf, which rolls the step back and releases its locks
 */
async function assertLeaf(step: SqlScope, { type, id }: Resource): Promise<void> {
  if ((await step.read(selectBelow, [type, id])).length > 0) throw new NotALeaf();
}

class NotALeaf extends Error {
  constructor() {
    super('There are resources below this one.');
  }
}
