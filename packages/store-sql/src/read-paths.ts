import type { HeldRoles, Resource, RoleKind, UserId } from '@x/store';
import { linkPaths } from './link-paths.ts';
import type { SqlRow, SqlScope } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';
import { Parameters } from './where/parameters.ts';

/** What is asked by the same statement: what goes before its own tables, and after its own rows. */
interface Joined {
  readonly tables: string;
  readonly rows: string;
}

const alone: Joined = { tables: '', rows: '' };

/**
 * The edges of all paths up from what is asked for, and the roles that the user holds along them. `CROSS JOIN` tells
 * SQLite to start with its left side, here and elsewhere; Postgres sees no difference.
 */
const toSelectPaths = (asked: string, { tables, rows }: Joined): string => `
  WITH ${tables}asked (type, id) AS (VALUES ${asked}),
  place (type, id) AS (
    SELECT type, id FROM asked
    UNION
    SELECT closure.ancestor_type, closure.ancestor_id
    FROM asked CROSS JOIN access_closure AS closure
    WHERE closure.descendant_type = asked.type AND closure.descendant_id = asked.id
  )
  SELECT place.type, place.id, edge.parent_type, edge.parent_id, NULL AS role
  FROM place CROSS JOIN access_edges AS edge WHERE edge.child_type = place.type AND edge.child_id = place.id
  UNION ALL
  SELECT place.type, place.id, NULL, NULL, assignment.role
  FROM place CROSS JOIN access_role_assignments AS assignment
  WHERE assignment.user_id = $1
    AND assignment.resource_type = place.type AND assignment.resource_id = place.id${rows}`;

/**
 * The same of one resource, which is what is mostly asked. It walks up edge by edge: they lie on fewer pages than edges and
 * pairs of the closure do.
 */
const toSelectPath = ({ tables, rows }: Joined): string => `
  WITH RECURSIVE ${tables}up (type, id, parent_type, parent_id) AS (
    SELECT child_type, child_id, parent_type, parent_id FROM access_edges WHERE child_type = $2 AND child_id = $3
    UNION
    SELECT edge.child_type, edge.child_id, edge.parent_type, edge.parent_id
    FROM up CROSS JOIN access_edges AS edge
    WHERE edge.child_type = up.parent_type AND edge.child_id = up.parent_id
  )
  SELECT up.type, up.id, up.parent_type, up.parent_id, held.role
  FROM up LEFT JOIN access_role_assignments AS held
    ON held.user_id = $1 AND held.resource_type = up.parent_type AND held.resource_id = up.parent_id
  UNION ALL
  SELECT resource_type, resource_id, NULL, NULL, role
  FROM access_role_assignments WHERE user_id = $1 AND resource_type = $2 AND resource_id = $3${rows}`;

/** The query of one resource: $1 is the user, $2 and $3 are the resource. */
export const selectPath: string = toSelectPath(alone);

const toKinds = (asked: string): string => `kind (type, role) AS (VALUES ${asked})`;

const isHeld = `
  EXISTS (
    SELECT 1 FROM access_role_assignments AS own
    WHERE own.user_id = $1 AND own.resource_type = kind.type AND own.role = kind.role
  )`;

const toSelectKinds = (asked: string): string =>
  `WITH ${toKinds(asked)} SELECT kind.type, kind.role FROM kind WHERE ${isHeld}`;

/** The rows of kinds have no id. */
const joinKinds = (asked: string): Joined => ({
  tables: `${toKinds(asked)}, `,
  rows: `
  UNION ALL
  SELECT kind.type, NULL, NULL, NULL, kind.role FROM kind WHERE ${isHeld}`,
});

/** Reads the roles of a user along all paths up from resources. */
export async function readPaths(
  sql: SqlScope,
  userId: UserId,
  resources: readonly Resource[],
): Promise<readonly HeldRoles[]> {
  const [only] = resources;
  if (!only) return [];
  if (resources.length === 1) return linkPaths(resources, await sql.read(selectPath, [userId, only.type, only.id]));
  const parameters = new Parameters();
  parameters.bind(userId);
  const text = toSelectPaths(bindResources(resources, parameters), alone);
  return linkPaths(resources, await sql.read(text, parameters.values));
}

/** Finds those of the kinds of roles that a user holds anywhere. */
export async function findKinds(
  sql: SqlScope,
  userId: UserId,
  kinds: readonly RoleKind[],
): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const parameters = new Parameters();
  parameters.bind(userId);
  const text = toSelectKinds(bindKinds(kinds, parameters));
  return pickKinds(kinds, await sql.read(text, parameters.values));
}

/** Does both in one statement. */
export async function readPathsAndKinds(
  sql: SqlScope,
  userId: UserId,
  { resources, kinds }: { readonly resources: readonly Resource[]; readonly kinds: readonly RoleKind[] },
): Promise<{ readonly paths: readonly HeldRoles[]; readonly kinds: readonly RoleKind[] }> {
  const [only] = resources;
  if (!only) return { paths: [], kinds: await findKinds(sql, userId, kinds) };
  if (kinds.length === 0) return { paths: await readPaths(sql, userId, resources), kinds: [] };
  const parameters = new Parameters();
  parameters.bind(userId);
  const text = resources.length === 1 ? bindPath(only, kinds, parameters) : bindPaths(resources, kinds, parameters);
  const rows = await sql.read(text, parameters.values);
  return {
    paths: linkPaths(
      resources,
      rows.filter((row) => row['id'] !== null),
    ),
    kinds: pickKinds(
      kinds,
      rows.filter((row) => row['id'] === null),
    ),
  };
}

function bindPath({ type, id }: Resource, kinds: readonly RoleKind[], parameters: Parameters): string {
  parameters.bind(type);
  parameters.bind(id);
  return toSelectPath(joinKinds(bindKinds(kinds, parameters)));
}

function bindPaths(resources: readonly Resource[], kinds: readonly RoleKind[], parameters: Parameters): string {
  const asked = bindResources(resources, parameters);
  return toSelectPaths(asked, joinKinds(bindKinds(kinds, parameters)));
}

function bindResources(resources: readonly Resource[], { bind }: Parameters): string {
  return toValuesList(
    resources.map(({ type, id }) => [type, id]),
    bind,
  );
}

function bindKinds(kinds: readonly RoleKind[], { bind }: Parameters): string {
  return toValuesList(
    kinds.map(({ type, role }) => [type, role]),
    bind,
  );
}

function pickKinds(kinds: readonly RoleKind[], rows: readonly SqlRow[]): readonly RoleKind[] {
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}
