import {
  compareCodePoints,
  type GrantedPage,
  type GrantedResources,
  type GrantedUsers,
  type InheritanceRule,
  type Page,
  type RoleAssignmentStore,
  type RoleKind,
  type UserId,
  type UserPath,
} from '@x/store';

import { boolean, json, text } from '../columns.ts';
import { type Bind, Parameters, toValuesList } from '../parameters.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import { toFromCondition, toGrantedCondition } from './granted-resources.ts';
import { selectHolders, toHolderText } from './holders.ts';
import { linkPath } from './linked-paths.ts';

/** Creates the methods that list, page by page, the resources of a user and the users of a resource. */
export function createRoleLookups(
  sql: SqlExecutor,
  dialect: SqlDialect,
): Pick<RoleAssignmentStore, 'listGranted' | 'listGrantees'> {
  return {
    listGranted: (resources, page) => listGranted(sql, dialect, resources, page),
    listGrantees: (users, page) => listGrantees(sql, dialect, users, page),
  };
}

/** The parts that a query is built with. */
interface Lookup {
  readonly dialect: SqlDialect;
  readonly bind: Bind;
  /** The condition that the value of a column belongs to the page, beginning with `AND`; empty for the first page. */
  readonly isAfter: (column: string) => string;
  /** The last value of the page before; null for the first page. */
  readonly last: string | null;
  /** The parameter for the number of rows, one more than the page has. */
  readonly limit: string;
}

function openLookup(dialect: SqlDialect, { bind }: Parameters, { after, limit }: GrantedPage): Lookup {
  const last = after === null ? null : bind(after);
  const isAfter = (column: string): string => (last === null ? '' : ` AND ${column} > ${last}`);
  return { dialect, bind, isAfter, last: after, limit: bind(limit + 1) };
}

function toPage<Item>(rows: readonly Item[], limit: number, idOf: (item: Item) => string): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? idOf(last) : null };
}

async function listGranted(
  sql: SqlExecutor,
  dialect: SqlDialect,
  resources: GrantedResources,
  page: GrantedPage,
): Promise<Page<string>> {
  if (resources.roles.length === 0 || resources.from?.length === 0) return { items: [], nextCursor: null };
  const parameters = new Parameters();
  const query = toCandidatesQuery(resources, openLookup(dialect, parameters, page));
  const { caller = null } = page;
  const { rows } = await sql.query(query, parameters.values, { caller, mayScan: true, maxRows: page.limit + 1 });
  const { items, nextCursor } = toPage(rows, page.limit, (row) => text(row['id']));
  return { items: items.filter((row) => boolean(row['is_granted'])).map((row) => text(row['id'])), nextCursor };
}

/**
 * Builds the query for a page of candidates, and whether each is selected.
 *
 * Candidates are what the user or one of their groups was assigned a role on, and everything of the type below where
 * they were assigned a role that could become one of the required ones. The closure has these in the order of their
 * ids, so from each assignment as many are read as the page has: however many there are, the first of all are among
 * them. Nearly all candidates are selected; whether one is follows from walking up from it.
 */
function toCandidatesQuery(resources: GrantedResources, lookup: Lookup): string {
  const { dialect, bind, limit } = lookup;
  const own = toValuesList(
    resources.roles.map((role) => [role]),
    bind,
  );
  const isInherited = resources.inheritance.length > 0;
  const sources = (): string => `
  inherited (type, role) AS (VALUES ${toInheritedKinds(resources, bind)}),
  kind (holder, type, role) AS (SELECT holder.holder, inherited.type, inherited.role FROM holder CROSS JOIN inherited),
  source (type, id) AS (SELECT DISTINCT kind.type, first_.resource_id FROM ${joinSources(resources, lookup)}),`;
  const below = (): string => `
      UNION
      SELECT first_.descendant_id FROM ${joinBelow(resources, lookup)}`;
  return `
  WITH holder (holder) AS (SELECT DISTINCT holder FROM (${selectHolders(bind(resources.userId))}) AS each_holder),
  required (role) AS (VALUES ${own}),
  own (holder, role) AS (SELECT holder.holder, required.role FROM holder CROSS JOIN required),${isInherited ? sources() : ''}
  candidate (id) AS (
    SELECT id FROM (
      SELECT first_.resource_id AS id FROM ${joinAssigned(resources, lookup)}${isInherited ? below() : ''}
    ) AS either GROUP BY id ORDER BY id LIMIT ${limit}
  )
  SELECT id, ${toGrantedCondition(resources, 'candidate.id', dialect, bind)} AS is_granted FROM candidate ORDER BY id`;
}

/** Joins each of the required roles and holders with the first resources that the holder was assigned it on. */
function joinAssigned({ type, from }: GrantedResources, { dialect, bind, isAfter, limit }: Lookup): string {
  const selected = bind(type);
  return dialect.joinFirst({
    outer: 'own',
    table: 'access_role_assignments',
    column: 'resource_id',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.resource_id`)}${row}.holder = own.holder AND ${row}.resource_type = ${selected}
        AND ${row}.role = own.role${isAfter(`${row}.resource_id`)}${toFromCondition(from, bind, `${row}.`)}`,
    limit,
  });
}

/** Lists the kinds of roles that are inherited, each once. */
function toInheritedKinds({ inheritance }: GrantedResources, bind: Bind): string {
  const kinds = new Map(inheritance.map(({ parent }) => [JSON.stringify(toKey(parent)), toKey(parent)]));
  return toValuesList([...kinds.values()], bind);
}

/**
 * Joins each holder and kind of roles that are inherited with all resources that the holder was assigned one on. Of
 * their other roles none is read, as Postgres might if it were no join with the first of each.
 */
function joinSources({ from }: GrantedResources, { dialect, bind }: Lookup): string {
  return dialect.joinFirst({
    outer: 'kind',
    table: 'access_role_assignments',
    column: 'resource_id',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.resource_id`)}${row}.holder = kind.holder AND ${row}.resource_type = kind.type
        AND ${row}.role = kind.role${toFromCondition(from, bind, `${row}.`)}`,
    limit: bind(Number.MAX_SAFE_INTEGER),
  });
}

/** Joins each of the resources that roles are inherited from with the first resources of the type below. */
function joinBelow({ type }: GrantedResources, { dialect, bind, isAfter, limit }: Lookup): string {
  const selected = bind(type);
  return dialect.joinFirst({
    outer: 'source',
    table: 'access_closure',
    column: 'descendant_id',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.descendant_id`)}${row}.ancestor_type = source.type
        AND ${row}.ancestor_id = source.id AND ${row}.descendant_type = ${selected}${isAfter(`${row}.descendant_id`)}`,
    limit,
  });
}

async function listGrantees(
  sql: SqlExecutor,
  dialect: SqlDialect,
  users: GrantedUsers,
  page: GrantedPage,
): Promise<Page<UserPath>> {
  if (users.roles.length === 0) return { items: [], nextCursor: null };
  const parameters = new Parameters();
  const query = toGranteesQuery(users, openLookup(dialect, parameters, page));
  const { caller = null } = page;
  // How many rows there are depends on what is above the resource.
  const maxRows = Number.MAX_SAFE_INTEGER;
  const { rows } = await sql.query(query, parameters.values, { caller, mayScan: true, maxRows });
  const edges = rows
    .filter((row) => row['user_id'] === null)
    .map((row): SqlRow => ({ ...row, role: null, holder: null }));
  const ofUsers = Map.groupBy(
    rows.filter((row) => row['user_id'] !== null),
    (row) => text(row['user_id']),
  );
  const found = [...ofUsers].toSorted(([a], [b]) => compareCodePoints(a, b));
  const paths = found.map(([userId, roles]: readonly [string, readonly SqlRow[]]): UserPath => ({
    userId: userId as UserId,
    granted: linkPath(users.resource, [...edges, ...roles.flatMap(toRoleRows)]),
  }));
  return toPage(paths, page.limit, ({ userId }) => userId);
}

/** A row has all roles of a user and their groups on one resource. */
function toRoleRows({ roles, ...row }: SqlRow): readonly SqlRow[] {
  if (roles === null) return [];
  return json<readonly (readonly [string, string])[]>(roles).map(([role, holder]) => ({ ...row, role, holder }));
}

/**
 * Builds the query for a page of the selected users: their roles and those of their groups on the resource and above
 * it, and, without a user, the edges of all paths up.
 *
 * It walks up from the resource to the roles that would be enough there, and reads only as many holders of each, and as
 * many users of each group that has one, as the page has.
 */
function toGranteesQuery({ resource, roles, inheritance }: GrantedUsers, lookup: Lookup): string {
  const { dialect, bind, limit } = lookup;
  const [type, id] = [`CAST(${bind(resource.type)} AS TEXT)`, `CAST(${bind(resource.id)} AS TEXT)`];
  const own = toValuesList(
    roles.map((role) => [role]),
    bind,
  );
  const [climb, andClimbed] =
    inheritance.length === 0
      ? ['', '']
      : [toClimb({ type, id, inheritance }, lookup), 'UNION ALL SELECT type, id, role FROM climb'];
  // A subquery of its own for each: Postgres can't begin with all who have a role on one of the resources.
  const roleList = `
    SELECT ${dialect.jsonAgg(dialect.toJsonPair('assigned.role', 'assigned.holder'))} FROM access_role_assignments AS assigned
    WHERE assigned.holder ${dialect.isOneOf(selectHolders('page.user_id'))} AND assigned.resource_type = place.type AND assigned.resource_id = place.id`;
  const above = `FROM access_closure WHERE descendant_type = ${type} AND descendant_id = ${id}`;
  return `
  WITH RECURSIVE own (role) AS (VALUES ${own}),${climb}
  enough (type, id, role) AS (SELECT ${type}, ${id}, role FROM own ${andClimbed}),
  own_group (id) AS (SELECT DISTINCT SUBSTR(first_.holder, ${groupStart.length + 1}) FROM ${joinGroups(lookup)}),
  page (user_id) AS (
    SELECT user_id FROM (
      SELECT SUBSTR(first_.holder, ${userStart.length + 1}) AS user_id FROM ${joinUsers(lookup)}
      UNION
      SELECT first_.descendant_id FROM ${joinMembers(lookup)}
    ) AS either ORDER BY user_id LIMIT ${limit}
  ),
  place (type, id) AS (SELECT ${type}, ${id} UNION ALL SELECT DISTINCT ancestor_type, ancestor_id ${above})
  SELECT page.user_id, place.type, place.id, (${roleList}) AS roles, NULL AS parent_type, NULL AS parent_id
  FROM page CROSS JOIN place
  UNION ALL
  SELECT NULL, via_type, via_id, NULL, ancestor_type, ancestor_id ${above}`;
}

/** A resource, given by expressions, and how roles get there. */
interface Climb extends Pick<GrantedUsers, 'inheritance'> {
  readonly type: string;
  readonly id: string;
}

/**
 * Builds the table `climb`: the roles above a resource that become one of the table `own`. It begins with edges of the
 * table, because a bound text has another collation than their columns.
 */
function toClimb({ type, id, inheritance }: Climb, { dialect, bind }: Lookup): string {
  const guard = dialect.rowGuard('edge.parent_id');
  return `
  rule (parent_type, parent_role, child_type, child_role) AS (VALUES ${toRules(inheritance, bind)}),
  climb (type, id, role) AS (
    SELECT edge.parent_type, edge.parent_id, rule.parent_role
    FROM own CROSS JOIN rule CROSS JOIN access_edges AS edge
    WHERE ${guard}rule.child_type = ${type} AND rule.child_role = own.role
      AND edge.child_type = ${type} AND edge.child_id = ${id} AND edge.parent_type = rule.parent_type
    UNION
    SELECT edge.parent_type, edge.parent_id, rule.parent_role
    FROM climb CROSS JOIN rule CROSS JOIN access_edges AS edge
    WHERE ${guard}rule.child_type = climb.type AND rule.child_role = climb.role
      AND edge.child_type = climb.type AND edge.child_id = climb.id AND edge.parent_type = rule.parent_type
  ),`;
}

/** The first texts of holders that are users and that are groups; no group follows the users. */
const [userStart, groupStart] = [toHolderText({ userId: '' as UserId }), toHolderText({ groupId: '' })];

/** Joins each of the roles that are enough with the first users who were assigned it. */
function joinUsers({ last, dialect, bind, limit }: Lookup): string {
  const after = last === null ? `>= '${userStart}'` : `> ${bind(`${userStart}${last}`)}`;
  return dialect.joinFirst({
    outer: 'enough',
    table: 'access_role_assignments',
    column: 'holder',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.holder`)}${row}.resource_type = enough.type AND ${row}.resource_id = enough.id
        AND ${row}.role = enough.role AND ${row}.holder ${after}`,
    limit,
  });
}

/** Joins each of them with all groups that were assigned it. */
function joinGroups({ dialect, bind }: Lookup): string {
  return dialect.joinFirst({
    outer: 'enough',
    table: 'access_role_assignments',
    column: 'holder',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.holder`)}${row}.resource_type = enough.type AND ${row}.resource_id = enough.id
        AND ${row}.role = enough.role AND ${row}.holder < '${userStart}'`,
    limit: bind(Number.MAX_SAFE_INTEGER),
  });
}

/** Joins each of these groups with the first users who are in it. */
function joinMembers({ dialect, isAfter, limit }: Lookup): string {
  return dialect.joinFirst({
    outer: 'own_group',
    table: 'access_group_closure',
    column: 'descendant_id',
    condition: (row) => `
        ${dialect.rowGuard(`${row}.descendant_id`)}${row}.ancestor_type = 'group' AND ${row}.ancestor_id = own_group.id
        AND ${row}.descendant_type = 'user'${isAfter(`${row}.descendant_id`)}`,
    limit,
  });
}

function toRules(inheritance: readonly InheritanceRule[], bind: Bind): string {
  return toValuesList(
    inheritance.map(({ parent, child }) => [...toKey(parent), ...toKey(child)]),
    bind,
  );
}

function toKey({ type, role }: RoleKind): readonly [string, string] {
  return [type, role];
}
