import type { Resource } from '@x/store';
import type { SqlDialect, SqlLocks } from '../sql-dialect.ts';
import type { SqlExecutor, SqlValue } from '../sql-executor.ts';
import type { EdgeTables } from './hierarchy-edges.ts';

/** The resource that a change of the hierarchy affects, and its new parent, if any. */
interface ChangedEnds {
  /** The name of the hierarchy, for its locks. Those with different names have no resource in common. */
  readonly hierarchy: string;
  readonly child: Resource;
  readonly parent?: Resource;
}

/** Runs a change of the hierarchy as one step, under the locks that it needs. */
export type ChangeHierarchy = <T>(
  sql: SqlExecutor,
  ends: ChangedEnds,
  change: (step: SqlExecutor) => Promise<T>,
) => Promise<T>;

/**
 * Runs changes of the hierarchy concurrently if they can't interfere, and one after another otherwise.
 *
 * A change of a resource without descendants affects only that resource's rows. Such a change shares the lock of the
 * hierarchy with others of its kind. It locks its resource, so that no transaction adds one below it meanwhile, and
 * shares the lock of the parent, so that the parent is not moved meanwhile even if it has no other descendants.
 * Everything above the parent has descendants, and changing any of that locks the whole hierarchy.
 */
export function createHierarchyLocks({ locks }: SqlDialect, { closure }: EdgeTables): ChangeHierarchy {
  if (locks === null) return (sql, _ends, change) => sql.step(change);
  const selectBelow = `SELECT 1 FROM ${closure} WHERE ancestor_type = $1 AND ancestor_id = $2 LIMIT 1`;
  const lockHierarchy = `SELECT ${locks.exclusive('$1')}`;
  return async (sql, ends, change) => {
    try {
      return await sql.step(async (step) => {
        const { text, values } = lockEnds(locks, ends);
        await step.read(text, values);
        const { type, id } = ends.child;
        // Rolls the step back and releases its locks.
        if ((await step.read(selectBelow, [type, id])).length > 0) throw new NotALeaf();
        return change(step);
      });
    } catch (error) {
      if (!(error instanceof NotALeaf)) throw error;
    }
    return sql.step(async (step) => {
      await step.read(lockHierarchy, [ends.hierarchy]);
      return change(step);
    });
  };
}

/** Several locks are taken in a fixed order, to avoid deadlocks. */
function lockEnds(
  { exclusive, shared }: SqlLocks,
  { hierarchy, child, parent }: ChangedEnds,
): { readonly text: string; readonly values: readonly SqlValue[] } {
  const first = toName(hierarchy, child);
  if (!parent) return { text: `SELECT ${shared('$1')}, ${exclusive('$2')}`, values: [hierarchy, first] };
  const second = toName(hierarchy, parent);
  return first <= second
    ? { text: `SELECT ${shared('$1')}, ${exclusive('$2')}, ${shared('$3')}`, values: [hierarchy, first, second] }
    : { text: `SELECT ${shared('$1')}, ${shared('$2')}, ${exclusive('$3')}`, values: [hierarchy, second, first] };
}

function toName(hierarchy: string, { type, id }: Resource): string {
  return `${hierarchy}:${type}:${id}`;
}

class NotALeaf extends Error {
  constructor() {
    super('There are resources below this one.');
  }
}
