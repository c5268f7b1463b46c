import type { GrantedResources, RoleKind } from '@x/store';

import type { SqlDialect } from '../sql-dialect.ts';
import { type Bind, toValuesList } from '../parameters.ts';
import { selectHolders } from './holders.ts';

/**
 * Builds the query for the ids of all selected resources.
 *
 * It walks down from the roles that the user and their groups were assigned, edge by edge, and maps the role at each
 * step by the rules of inheritance. It starts only from roles that are inherited or that are themselves required.
 */
export function toGrantedQuery(
  { userId, type, roles, inheritance, from }: GrantedResources,
  { rowGuard, isOneOf }: Pick<SqlDialect, 'rowGuard' | 'isOneOf'>,
  bind: Bind,
): string {
  if (roles.length === 0 || from?.length === 0) return selectNothing;
  const required = roles.map((role): RoleKind => ({ type, role }));
  const isHeld = `holder ${isOneOf(selectHolders(bind(userId)))}`;
  const onlyFrom = toFromCondition(from, bind);
  if (inheritance.length === 0) {
    return `
  SELECT resource_id AS id FROM access_role_assignments
  WHERE ${rowGuard('resource_id')}${isHeld}${onlyFrom} AND (resource_type, role) IN (VALUES ${toValuesList(required.map(toKey), bind)})`;
  }
  const starts = [...required, ...inheritance.map(({ parent }) => parent)];
  const rows = inheritance.map(({ parent, child }) => [...toKey(parent), ...toKey(child)]);
  return `
  WITH RECURSIVE rule (parent_type, parent_role, child_type, child_role) AS (VALUES ${toValuesList(rows, bind)}),
  granted (type, id, role) AS (
    SELECT resource_type, resource_id, role FROM access_role_assignments
    WHERE ${rowGuard('resource_id')}${isHeld}${onlyFrom} AND (resource_type, role) IN (VALUES ${toValuesList(starts.map(toKey), bind)})
    UNION
    SELECT edge.child_type, edge.child_id, rule.child_role
    FROM granted CROSS JOIN access_edges AS edge CROSS JOIN rule
    WHERE ${rowGuard('edge.child_id')}edge.parent_type = granted.type AND edge.parent_id = granted.id
      AND rule.parent_type = granted.type AND rule.parent_role = granted.role AND rule.child_type = edge.child_type
  )
  SELECT id FROM granted WHERE (type, role) IN (VALUES ${toValuesList(required.map(toKey), bind)})`;
}

/**
 * Builds the query for the number of steps that {@link toGrantedQuery} would take, as `count`. It gives up beyond
 * `most`, or deeper than hierarchies usually are, and then reports more than `most`.
 */
export function toGrantedStepsQuery(
  { userId, type, roles, inheritance, from }: GrantedResources,
  most: number,
  { rowGuard, isOneOf }: Pick<SqlDialect, 'rowGuard' | 'isOneOf'>,
  bind: Bind,
): string {
  if (roles.length === 0 || from?.length === 0) return 'SELECT 0 AS count';
  const starts = [...roles.map((role): RoleKind => ({ type, role })), ...inheritance.map(({ parent }) => parent)];
  const isHeld = `holder ${isOneOf(selectHolders(bind(userId)))}`;
  const limit = bind(most + 1);
  const rows = inheritance.map(({ parent, child }) => [...toKey(parent), ...toKey(child)]);
  const depth = inheritance.length === 0 ? 1 : maxProbedDepth;
  const levels = Array.from({ length: depth }, (_, level) => (level === 0 ? '' : toLevel(level, limit, rowGuard)));
  const counts = levels.map((_, level) => `(SELECT COUNT(*) FROM level_${level})`);
  return `
  WITH ${rows.length === 0 ? '' : `rule (parent_type, parent_role, child_type, child_role) AS (VALUES ${toValuesList(rows, bind)}),`}
  level_0 (type, id, role) AS (
    SELECT resource_type, resource_id, role FROM access_role_assignments
    WHERE ${rowGuard('resource_id')}${isHeld}${toFromCondition(from, bind)} AND (resource_type, role) IN (VALUES ${toValuesList(starts.map(toKey), bind)})
    LIMIT ${limit}
  )${levels.join('')}
  SELECT ${counts.join(' + ')}${depth === 1 ? '' : ` + ${limit} * (SELECT COUNT(*) FROM level_${depth - 1})`} AS count`;
}

/** The depth to which steps are counted. */
const maxProbedDepth = 6;

function toLevel(level: number, limit: string, rowGuard: SqlDialect['rowGuard']): string {
  return `,
  level_${level} (type, id, role) AS (
    SELECT edge.child_type, edge.child_id, rule.child_role
    FROM level_${level - 1} AS granted CROSS JOIN access_edges AS edge CROSS JOIN rule
    WHERE ${rowGuard('edge.child_id')}edge.parent_type = granted.type AND edge.parent_id = granted.id
      AND rule.parent_type = granted.type AND rule.parent_role = granted.role AND rule.child_type = edge.child_type
    LIMIT ${limit}
  )`;
}

/**
 * Builds a condition on one resource, whose id is given by an expression: whether it is selected.
 *
 * It walks up from the resource to the roles that the user and their groups were assigned, so its cost does not depend
 * on how many those are. On the way, kinds of roles are represented by numbers, so that no text of the query is
 * compared with a column of a different collation. No column of an entity has a name ending with an underscore, so the
 * expression can't clash with the names used here.
 */
export function toGrantedCondition(
  { userId, type, roles, inheritance, from }: GrantedResources,
  id: string,
  { isOneOf }: Pick<SqlDialect, 'isOneOf'>,
  bind: Bind,
): string {
  if (roles.length === 0 || from?.length === 0) return 'FALSE';
  const kinds = new RoleKindNumbers();
  const required = roles.map((role) => [kinds.numberOf({ type, role })]);
  const steps = inheritance.map(({ parent, child }) => [
    kinds.numberOf(child),
    child.type,
    kinds.numberOf(parent),
    parent.type,
  ]);
  const isHeld = `assigned_.holder ${isOneOf(selectHolders(bind(userId)))}`;
  const rule = `
  rule_ (child_kind, child_type, parent_kind, parent_type) AS (VALUES ${steps.length > 0 ? toValuesList(steps, bind) : ''}),`;
  const climb = `
    UNION
    SELECT rule_.parent_kind, edge_.parent_id
    FROM enough_ CROSS JOIN rule_ CROSS JOIN access_edges AS edge_
    WHERE rule_.child_kind = enough_.at_kind
      AND edge_.child_type = rule_.child_type AND edge_.child_id = enough_.at_id AND edge_.parent_type = rule_.parent_type`;
  return `EXISTS (
  WITH RECURSIVE required_ (kind_) AS (VALUES ${toValuesList(required, bind)}),${steps.length > 0 ? rule : ''}
  enough_ (at_kind, at_id) AS (
    SELECT required_.kind_, ${id} FROM required_${steps.length > 0 ? climb : ''}
  ),
  kind_ (kind_number, kind_type, kind_role) AS (VALUES ${toValuesList(kinds.rows, bind)})
  SELECT 1 FROM enough_ CROSS JOIN kind_ CROSS JOIN access_role_assignments AS assigned_
  WHERE kind_.kind_number = enough_.at_kind AND ${isHeld} AND assigned_.resource_type = kind_.kind_type
    AND assigned_.resource_id = enough_.at_id AND assigned_.role = kind_.kind_role${toFromCondition(from, bind, 'assigned_.')})`;
}

/** Numbers kinds of roles in the order in which they appear. */
class RoleKindNumbers {
  readonly #numbers = new Map<string, readonly [string, string, string]>();

  get rows(): readonly (readonly string[])[] {
    return [...this.#numbers.values()];
  }

  numberOf({ type, role }: RoleKind): string {
    const key = JSON.stringify([type, role]);
    const known = this.#numbers.get(key) ?? ([String(this.#numbers.size), type, role] as const);
    this.#numbers.set(key, known);
    return known[0];
  }
}

/** Restricts the roles to those on the resources that `from` lists, if it does. */
export function toFromCondition(from: GrantedResources['from'], bind: Bind, table = ''): string {
  if (!from) return '';
  const resources = from.map(({ type, id }) => [type, id] as const);
  return ` AND (${table}resource_type, ${table}resource_id) IN (VALUES ${toValuesList(resources, bind)})`;
}

const selectNothing = 'SELECT resource_id AS id FROM access_role_assignments WHERE 1 = 0';

function toKey({ type, role }: RoleKind): readonly [string, string] {
  return [type, role];
}
