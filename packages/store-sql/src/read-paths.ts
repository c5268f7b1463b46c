import type { HeldRoles, Resource, RoleKind, UserId } from '@x/store';
import { linkPaths } from './link-paths.ts';
import type { SqlDialect, SqlRow, SqlScope } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';
import { Parameters } from './where/parameters.ts';

/**
 * The edges of all paths up from what is asked for, with the roles that the user holds above them, and those on what is asked
 * for itself. `CROSS JOIN` tells SQLite to start with its left side, here and elsewhere; Postgres sees no difference.
 */
const toSelectPaths = (asked: string): string => `
  WITH asked (type, id) AS (${asked}),
  edge (type, id, parent_type, parent_id) AS (
    SELECT DISTINCT closure.via_type, closure.via_id, closure.ancestor_type, closure.ancestor_id
    FROM asked CROSS JOIN access_closure AS closure
    WHERE closure.descendant_type = asked.type AND closure.descendant_id = asked.id
  )
  SELECT edge.type, edge.id, edge.parent_type, edge.parent_id, held.role
  FROM edge LEFT JOIN access_role_assignments AS held
    ON held.user_id = $1 AND held.resource_type = edge.parent_type AND held.resource_id = edge.parent_id
  UNION ALL
  SELECT asked.type, asked.id, NULL, NULL, held.role
  FROM asked CROSS JOIN access_role_assignments AS held
  WHERE held.user_id = $1 AND held.resource_type = asked.type AND held.resource_id = asked.id`;

/**
 * The same of one resource, which is what is mostly asked: one range of the closure, and a look at what is held for each row.
 * $1 is the user, $2 and $3 are the resource.
 */
export const selectPath: string = `
  SELECT closure.via_type AS type, closure.via_id AS id,
    closure.ancestor_type AS parent_type, closure.ancestor_id AS parent_id, held.role
  FROM access_closure AS closure LEFT JOIN access_role_assignments AS held
    ON held.user_id = $1 AND held.resource_type = closure.ancestor_type AND held.resource_id = closure.ancestor_id
  WHERE closure.descendant_type = $2 AND closure.descendant_id = $3
  UNION ALL
  SELECT resource_type, resource_id, NULL, NULL, role
  FROM access_role_assignments WHERE user_id = $1 AND resource_type = $2 AND resource_id = $3`;

const toSelectKinds = (asked: string): string => `
  WITH kind (type, role) AS (VALUES ${asked})
  SELECT kind.type, kind.role FROM kind WHERE EXISTS (
    SELECT 1 FROM access_role_assignments AS own
    WHERE own.user_id = $1 AND own.resource_type = kind.type AND own.role = kind.role
  )`;

/** Goes behind a query of paths: the rows of kinds have no id. */
const joinKinds = (asked: string): string => `
  UNION ALL
  SELECT type, NULL, NULL, NULL, role FROM (${toSelectKinds(asked)}) AS held_kind`;

/** Where paths are read. */
export interface PathSource {
  readonly sql: SqlScope;
  readonly dialect: SqlDialect;
}

/** Reads the roles of a user along all paths up from resources. */
export async function readPaths(
  { sql, dialect }: PathSource,
  userId: UserId,
  resources: readonly Resource[],
): Promise<readonly HeldRoles[]> {
  const [only] = resources;
  if (!only) return [];
  if (resources.length === 1) return linkPaths(resources, await sql.read(selectPath, [userId, only.type, only.id]));
  const parameters = new Parameters();
  parameters.bind(userId);
  const text = toSelectPaths(bindResources(resources, dialect, parameters));
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
  source: PathSource,
  userId: UserId,
  { resources, kinds }: { readonly resources: readonly Resource[]; readonly kinds: readonly RoleKind[] },
): Promise<{ readonly paths: readonly HeldRoles[]; readonly kinds: readonly RoleKind[] }> {
  const [only] = resources;
  const { sql, dialect } = source;
  if (!only) return { paths: [], kinds: await findKinds(sql, userId, kinds) };
  if (kinds.length === 0) return { paths: await readPaths(source, userId, resources), kinds: [] };
  const parameters = new Parameters();
  parameters.bind(userId);
  const paths =
    resources.length === 1 ? bindPath(only, parameters) : toSelectPaths(bindResources(resources, dialect, parameters));
  const rows = await sql.read(paths + joinKinds(bindKinds(kinds, parameters)), parameters.values);
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

function bindPath({ type, id }: Resource, { bind }: Parameters): string {
  bind(type);
  bind(id);
  return selectPath;
}

/** The ids of each type are one value, so that pages of any length share a text. */
function bindResources(resources: readonly Resource[], dialect: SqlDialect, { bind }: Parameters): string {
  const ids = Map.groupBy(resources, ({ type }) => type);
  const ofTypes = Array.from(ids, ([type, each]) => {
    const texts = each.map(({ id }) => id);
    return `SELECT CAST(${bind(type)} AS TEXT), value FROM (${dialect.listTexts(texts, bind)}) AS listed`;
  });
  return ofTypes.join(' UNION ALL ');
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
