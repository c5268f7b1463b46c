import type { RelatedResource, Resource } from '@x/store';
import { compareRelated, logged, type LoggedChange, type Recorded } from '@x/store/engine';
import { integer, text } from '../columns.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor, SqlValue } from '../sql-executor.ts';
import { atOnce, type HierarchyEdges } from './hierarchy-edges.ts';
import { assignmentNames, toRoleAssignment } from './role-assignments.ts';

const selectDescendants = `
  SELECT descendant_type AS type, descendant_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE ancestor_type = $1 AND ancestor_id = $2 GROUP BY descendant_type, descendant_id`;

/** The next of them by their types and ids, after $3 and $4. */
const selectNextDescendants = `
  SELECT descendant_type AS type, descendant_id AS id, MAX(depth) AS depth FROM access_closure
  WHERE ancestor_type = $1 AND ancestor_id = $2 AND (descendant_type, descendant_id) > ($3, $4)
  GROUP BY descendant_type, descendant_id ORDER BY descendant_type, descendant_id LIMIT $5`;

/** The statements of a removal. $1 is a type, and $2 a list of ids. */
interface SubtreeStatements {
  readonly selectParents: string;
  readonly deleteRoles: string;
  readonly deleteEdges: string;
  readonly deletePaths: string;
}

function toStatements(dialect: SqlDialect): SubtreeStatements {
  const isListed = dialect.in('text', '$2');
  const isChild = `child_type = $1 AND child_id ${isListed}`;
  return {
    selectParents: `SELECT child_type, child_id, parent_type, parent_id FROM access_edges WHERE ${isChild}`,
    deleteRoles: `
  DELETE FROM access_role_assignments WHERE resource_type = $1 AND resource_id ${isListed}
  RETURNING ${assignmentNames}`,
    deleteEdges: `DELETE FROM access_edges WHERE ${isChild}`,
    deletePaths: `DELETE FROM access_closure WHERE descendant_type = $1 AND descendant_id ${isListed}`,
  };
}

/** Removes a resource with everything that has no other parent, and the roles on all of that. */
export type RemoveSubtree = (step: SqlExecutor, root: Resource) => Promise<Recorded<readonly Resource[]>>;

/** Builds the function that removes subtrees. It returns what was removed, the resource first. */
export function createSubtreeRemoval(dialect: SqlDialect, edges: HierarchyEdges): RemoveSubtree {
  const { selectParents, deleteRoles, deleteEdges, deletePaths } = toStatements(dialect);
  const toLists = (resources: readonly Resource[]): readonly (readonly SqlValue[])[] =>
    batchesOf(resources).map(({ type, ids }) => [type, dialect.toList(ids)]);

  const readParents = async (
    step: SqlExecutor,
    below: readonly Resource[],
  ): Promise<ReadonlyMap<string, Resource[]>> => {
    const parents = new Map<string, Resource[]>();
    for (const list of toLists(below)) {
      for (const row of await step.read(selectParents, list)) {
        const child = toKey({ type: text(row['child_type']), id: text(row['child_id']) });
        const parent = { type: text(row['parent_type']), id: text(row['parent_id']) };
        parents.set(child, [...(parents.get(child) ?? []), parent]);
      }
    }
    return parents;
  };

  return async (step, root) => {
    const below = await readBelow(step, root);
    const parents = await readParents(step, below);
    const gone = new Map([[toKey(root), root]]);
    const recorded: LoggedChange[] = [];
    let count = 0;
    // The nearest first: each resource follows all of its parents that are below the root.
    for (const child of below) {
      const all = parents.get(toKey(child)) ?? [];
      const going = all.filter((parent) => gone.has(toKey(parent)));
      if (going.length === all.length) gone.set(toKey(child), child);
      else for (const parent of going) count += Number(await edges.detach(step, { child, parent }));
    }
    const outcome = [...gone.values()];
    for (const list of toLists(outcome)) {
      const roles = await step.write(deleteRoles, list);
      recorded.push(...roles.map((row) => logged.role('role.revoked', toRoleAssignment(row))));
      count += roles.length + (await step.execute(deleteEdges, list));
      await step.execute(deletePaths, list);
    }
    return { outcome, recorded: count === 0 ? [] : [...recorded, ...logged.removal(outcome)] };
  };
}

/** Reads everything below a resource, the nearest first, some at a time. */
async function readBelow(step: SqlExecutor, { type, id }: Resource): Promise<readonly Resource[]> {
  const rows: SqlRow[] = [];
  // Every type follows the empty text.
  for (let after: SqlValue[] = ['', '']; ;) {
    const next = await step.read(selectNextDescendants, [type, id, ...after, atOnce]);
    rows.push(...next);
    const last = next.at(-1);
    if (!last || next.length < atOnce) return toRelated(rows).map(({ resource }) => resource);
    after = [text(last['type']), text(last['id'])];
  }
}

/** Divides resources into parts of one type each. */
function batchesOf(
  resources: readonly Resource[],
): readonly { readonly type: string; readonly ids: readonly string[] }[] {
  return [...Map.groupBy(resources, ({ type }) => type)].flatMap(([type, all]) =>
    Array.from({ length: Math.ceil(all.length / atOnce) }, (_, index) => ({
      type,
      ids: all.slice(index * atOnce, (index + 1) * atOnce).map(({ id }) => id),
    })),
  );
}

/** No text contains U+0000, so it can separate the two. */
function toKey({ type, id }: Resource): string {
  return `${type}\0${id}`;
}

/** Reads everything below a resource, the nearest first. */
export async function readDescendants(sql: SqlExecutor, { type, id }: Resource): Promise<readonly RelatedResource[]> {
  return toRelated(await sql.read(selectDescendants, [type, id]));
}

/** Converts rows of type, id and depth, and sorts them. */
export function toRelated(rows: readonly SqlRow[]): readonly RelatedResource[] {
  return rows
    .map(({ type, id, depth }) => ({ resource: { type: text(type), id: text(id) }, depth: integer(depth) }))
    .toSorted(compareRelated);
}
