import type { GrantedRoles, Resource, UserId } from '@x/store';
import { linkPath } from './link-path.ts';
import { AskedPlaces, linkPaths } from './link-paths.ts';
import type { SqlDialect, SqlScope, SqlValue } from './sql-driver.ts';

/**
 * The edges of all paths up from one resource, with the roles that the user holds above them, and the roles on the
 * resource itself: one range of the closure, and a lookup of roles for each row. $1 is the user, $2 and $3 are the
 * resource.
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

/** Reads the roles of a user along all paths up from resources. */
export type ReadPaths = (
  sql: SqlScope,
  userId: UserId,
  resources: readonly Resource[],
) => Promise<readonly GrantedRoles[]>;

/** Builds the function that reads paths, in the SQL of an engine. */
export function createReadPaths(dialect: SqlDialect): ReadPaths {
  const ofOneType = toSelectPaths(dialect, 1);
  return async (sql, userId, resources) => {
    const [only] = resources;
    if (!only) return [];
    if (resources.length === 1) return [linkPath(only, await sql.read(selectPath, [userId, only.type, only.id]))];
    const asked = new AskedPlaces(resources);
    const text = asked.byType.size === 1 ? ofOneType : toSelectPaths(dialect, asked.byType.size);
    linkPaths(asked, await sql.read(text, [userId, ...bindPlaces(asked, dialect)]));
    return asked.all;
  };
}

function bindPlaces({ byType }: AskedPlaces, dialect: SqlDialect): readonly SqlValue[] {
  return Array.from(byType, ([type, places]) => [
    type,
    dialect.toList(places.map(({ resource }) => resource.id)),
  ]).flat();
}

/**
 * The edges of all paths up from many resources: a row for each parent with its children and each role that the user
 * holds on it, and a row for each role on a requested resource itself. Requested resources are identified by their
 * place in the list of their type, which is read faster than their id. $1 is the user; a type and its list follow for
 * each of the types. `CROSS JOIN` tells SQLite to start with its left side, here and elsewhere.
 */
function toSelectPaths(dialect: SqlDialect, types: number): string {
  const ofEach = Array.from({ length: types }, (_, at) => {
    const [type, list] = [`$${2 * at + 2}`, `$${2 * at + 3}`];
    return `SELECT CAST(${type} AS TEXT) AS type, value AS id, place FROM (${dialect.selectTexts(list)}) AS listed`;
  });
  const asked = `(${ofEach.join(' UNION ALL ')}) AS asked`;
  const child = `CASE WHEN via_id = asked.id AND via_type = asked.type
          THEN ${dialect.toJson('asked.place')} ELSE ${dialect.toJson('via_id')} END`;
  return `
    SELECT edge.type, edge.id, held.role, edge.child_type, edge.children, NULL AS place
    FROM (
      SELECT ancestor_type AS type, ancestor_id AS id, via_type AS child_type,
        ${dialect.jsonAgg(child)} AS children
      FROM ${asked} CROSS JOIN access_closure
      WHERE descendant_type = asked.type AND descendant_id = asked.id
      GROUP BY ancestor_id, ancestor_type, via_type
    ) AS edge LEFT JOIN access_role_assignments AS held
      ON held.user_id = $1 AND held.resource_type = edge.type AND held.resource_id = edge.id
    UNION ALL
    SELECT asked.type, NULL, held.role, NULL, NULL, asked.place
    FROM ${asked} CROSS JOIN access_role_assignments AS held
    WHERE held.user_id = $1 AND held.resource_type = asked.type AND held.resource_id = asked.id`;
}
