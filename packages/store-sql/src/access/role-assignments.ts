import type {
  Grant,
  GrantedRoles,
  GroupRole,
  Resource,
  RoleAssignment,
  RoleAssignmentStore,
  RoleHolder,
  RoleKind,
  RolesOfOthers,
  UserGrant,
  UserId,
  UserRole,
} from '@x/store';
import { logged, type LoggedChange, recordedIf } from '@x/store/engine';
import { defineColumns, moment, text, textOrNull } from '../columns.ts';
import { createRecording } from '../events.ts';
import { Parameters, toValuesList } from '../parameters.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor, SqlValue } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { isUser, selectHolders, toHolder, toHolderText, toUserHolder } from './holders.ts';
import { linkPath, linkPaths, RequestedNodes } from './linked-paths.ts';
import { createRoleLookups } from './role-lookups.ts';

/** The grantor of a role is read by lists alone: no decision about access needs it. */
interface StoredAssignment {
  readonly holder: string;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly role: string;
}

const assignmentColumns = defineColumns((row): StoredAssignment => ({
  holder: text(row['holder']),
  resourceType: text(row['resource_type']),
  resourceId: text(row['resource_id']),
  role: text(row['role']),
}));

/** The columns of an assigned role. */
export const assignmentNames: string = assignmentColumns.names;

const deleteByHolder = `DELETE FROM access_role_assignments WHERE holder = $1 RETURNING ${assignmentNames}`;

/** Revokes all roles of a holder, and returns the changes. */
export async function revokeAll(step: SqlExecutor, holder: RoleHolder): Promise<readonly LoggedChange[]> {
  const rows = await step.write(deleteByHolder, [toHolderText(holder)]);
  return rows.map((row) => logged.role('role.revoked', toRoleAssignment(row)));
}

const insertAssignment = `
  INSERT INTO access_role_assignments (${assignmentColumns.names}, granted_by, granted_at)
  VALUES (${assignmentColumns.placeholders}, $5, $6)
  ON CONFLICT (holder, resource_type, resource_id, role) DO NOTHING`;

const deleteAssignment = `
  DELETE FROM access_role_assignments
  WHERE (${assignmentColumns.names}) = (${assignmentColumns.placeholders})`;

const selectByHolder = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments WHERE holder = $1`;

const selectByResource = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments
  WHERE resource_type = $1 AND resource_id = $2`;

/** $2 is the type, $3 the id to begin after, and $4 the most rows; every id follows the empty text. */
const toSelectOfType = (andRole: string): string => `
  SELECT ${assignmentColumns.names} FROM access_role_assignments
  WHERE holder = $1 AND resource_type = $2 AND resource_id > $3 ${andRole}
  ORDER BY resource_id, role LIMIT $4`;

const [selectOfType, selectOfRole] = [toSelectOfType(''), toSelectOfType('AND role = $5')];

const grantNames = `${assignmentColumns.names}, granted_by, granted_at`;

/** Reads up from each role of a user: they have fewer roles than there are resources below an organization. */
const toSelectWithin = (ofUser: string): string => `
  SELECT ${grantNames} FROM access_role_assignments
  WHERE ${ofUser} AND ((resource_type = $2 AND resource_id = $3) OR EXISTS (
    SELECT 1 FROM access_closure AS closure
    WHERE closure.descendant_type = resource_type AND closure.descendant_id = resource_id
      AND closure.ancestor_type = $2 AND closure.ancestor_id = $3))
  LIMIT $4`;

const selectWithin = toSelectWithin(`holder = ${toUserHolder('$1')}`);
const selectGrantedWithin = toSelectWithin(`granted_by = $1 AND holder <> ${toUserHolder('$1')}`);

/** A resource may be below another by several paths. */
const selectBelow = `
  SELECT ${grantNames}
  FROM (
    SELECT DISTINCT descendant_type, descendant_id FROM access_closure WHERE ancestor_type = $1 AND ancestor_id = $2
  ) AS below CROSS JOIN access_role_assignments
  WHERE resource_type = below.descendant_type AND resource_id = below.descendant_id AND ${isUser}
    AND (holder, resource_type, resource_id, role) > ($3, $4, $5, $6)
  ORDER BY holder, resource_type, resource_id, role LIMIT $7`;

const selectGranted = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments
  WHERE granted_by = $1 AND holder <> ${toUserHolder('$1')} LIMIT $2`;

/**
 * The roles of all users but $1 on resources and, if that is asked for, everything below them. $2 and $3 are the
 * lists of the types and the ids of the resources, and $4 is the most rows.
 */
function toSelectOthers(dialect: SqlDialect, { isBelow }: Pick<RolesOfOthers, 'isBelow'>): string {
  const below = `
    UNION
    SELECT closure.descendant_type, closure.descendant_id
    FROM root CROSS JOIN access_closure AS closure
    WHERE closure.ancestor_type = root.type AND closure.ancestor_id = root.id`;
  return `
  WITH root (type, id) AS (
    SELECT types.value, ids.value FROM (${dialect.selectTexts('$2')}) AS types
    JOIN (${dialect.selectTexts('$3')}) AS ids ON ids.place = types.place
  ),
  affected (type, id) AS (
    SELECT type, id FROM root${isBelow ? below : ''}
  )
  SELECT ${assignmentColumns.names}
  FROM affected CROSS JOIN access_role_assignments
  WHERE resource_type = affected.type AND resource_id = affected.id AND holder <> ${toUserHolder('$1')} LIMIT $4`;
}

/** Builds the role-assignment store. */
export function createSqlRoleAssignments({ dialect, clock }: SqlStoreDependencies): OnExecutor<RoleAssignmentStore> {
  const { record } = createRecording({ clock });
  const readPaths = createReadPaths(dialect);
  const [onThem, onAndBelow] = [false, true].map((isBelow) => toSelectOthers(dialect, { isBelow })) as [string, string];
  return (sql) => ({
    assign: (assignment, cause) =>
      record(sql, cause, async (step) => {
        const values = [...toAssignmentValues(assignment), cause?.by ?? null, clock.now().getTime()];
        const isNew = (await step.execute(insertAssignment, values)) === 1;
        return recordedIf(isNew, logged.role('role.assigned', assignment));
      }),

    revoke: (assignment, cause) =>
      record(sql, cause, async (step) => {
        const isRevoked = (await step.execute(deleteAssignment, toAssignmentValues(assignment))) === 1;
        return recordedIf(isRevoked, logged.role('role.revoked', assignment));
      }),

    listByUser: async (userId) =>
      (await sql.read(selectByHolder, [toHolderText({ userId })])).map((row): UserRole => ({ userId, ...toRole(row) })),

    async listOfType(userId, { type, role, after = '', limit }) {
      const values = [toHolderText({ userId }), type, after, limit];
      const rows = await (role === undefined
        ? sql.read(selectOfType, values)
        : sql.read(selectOfRole, [...values, role]));
      return rows.map((row): UserRole => ({ userId, ...toRole(row) }));
    },

    async listWithin({ type, id }, { userId, grantedBy, limit }) {
      const values = [userId ?? grantedBy, type, id, limit];
      return (await sql.read(userId === undefined ? selectGrantedWithin : selectWithin, values)).map(toGrant);
    },

    async listBelow({ type, id }, { after, limit, caller = null }) {
      const position = after === null ? ['', '', '', ''] : toAssignmentValues(after);
      const options = { caller, mayScan: true, maxRows: limit };
      const { rows } = await sql.query(selectBelow, [type, id, ...position, limit], options);
      return rows.map((row) => toGrant(row) as UserGrant);
    },

    listByGroup: async (groupId) =>
      (await sql.read(selectByHolder, [toHolderText({ groupId })])).map((row): GroupRole => ({
        groupId,
        ...toRole(row),
      })),

    listAssigned: (userId, kinds) => listAssigned(sql, dialect, userId, kinds),

    listByResource: async ({ type, id }) => (await sql.read(selectByResource, [type, id])).map(toRoleAssignment),

    listGrantedBy: async (grantor, limit) => (await sql.read(selectGranted, [grantor, limit])).map(toRoleAssignment),

    async listOthers(userId, { resources, isBelow, limit }) {
      const types = dialect.toList(resources.map(({ type }) => type));
      const ids = dialect.toList(resources.map(({ id }) => id));
      const rows = await sql.read(isBelow ? onAndBelow : onThem, [userId, types, ids, limit]);
      return rows.map(toRoleAssignment);
    },

    readPaths: (userId, resources) => readPaths(sql, userId, resources),

    ...createRoleLookups(sql, dialect),

    findKinds: (userId, kinds) => findKinds(sql, dialect, userId, kinds),
  });
}

function toAssignmentValues({ resource, role, ...holder }: RoleAssignment): readonly SqlValue[] {
  return assignmentColumns.encode({
    holder: toHolderText(holder),
    resourceType: resource.type,
    resourceId: resource.id,
    role,
  });
}

/** Converts a row with the columns {@link assignmentNames}. */
export function toRoleAssignment(row: SqlRow): RoleAssignment {
  return { ...toHolder(assignmentColumns.decode(row).holder), ...toRole(row) };
}

function toGrant(row: SqlRow): Grant {
  const granting = { grantedBy: textOrNull<UserId>(row['granted_by']), grantedAt: moment(row['granted_at']) };
  return { ...toRoleAssignment(row), ...granting };
}

function toRole(row: SqlRow): Pick<RoleAssignment, 'resource' | 'role'> {
  const { resourceType, resourceId, role } = assignmentColumns.decode(row);
  return { resource: { type: resourceType, id: resourceId }, role };
}

/** Begins a query on what a user, $1, and their groups were assigned of some kinds of roles. */
function toKindQuery(
  userId: UserId,
  kinds: readonly RoleKind[],
  dialect: SqlDialect,
): { readonly requested: string; readonly isHeld: string; readonly values: readonly SqlValue[] } {
  const parameters = new Parameters();
  const holders = selectHolders(parameters.bind(userId));
  const list = toValuesList(
    kinds.map(({ type, role }) => [type, role]),
    parameters.bind,
  );
  return {
    requested: `WITH kind (type, role) AS (VALUES ${list})`,
    isHeld: `held.holder ${dialect.isOneOf(holders)} AND held.resource_type = kind.type AND held.role = kind.role`,
    values: parameters.values,
  };
}

/** Lists the resources on which a user or one of their groups was assigned one of the kinds of roles. */
async function listAssigned(
  sql: SqlExecutor,
  dialect: SqlDialect,
  userId: UserId,
  kinds: readonly RoleKind[],
): Promise<readonly Resource[]> {
  if (kinds.length === 0) return [];
  const { requested, isHeld, values } = toKindQuery(userId, kinds, dialect);
  const rows = await sql.read(
    `${requested}
  SELECT DISTINCT held.resource_type, held.resource_id FROM kind CROSS JOIN access_role_assignments AS held WHERE ${isHeld}`,
    values,
  );
  return rows.map((row) => ({ type: text(row['resource_type']), id: text(row['resource_id']) }));
}

/** Finds which of the kinds of roles a user or one of their groups has on any resource. */
async function findKinds(
  sql: SqlExecutor,
  dialect: SqlDialect,
  userId: UserId,
  kinds: readonly RoleKind[],
): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const { requested, isHeld, values } = toKindQuery(userId, kinds, dialect);
  const rows = await sql.read(
    `${requested}
  SELECT kind.type, kind.role FROM kind WHERE EXISTS (SELECT 1 FROM access_role_assignments AS held WHERE ${isHeld})`,
    values,
  );
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}

/**
 * The edges of all paths up from one resource, and a row without a parent for the resource itself, each with the roles
 * that the user and their groups have on the upper end: one range of the closure, and a lookup of roles for each row.
 * $1 is the user, $2 and $3 are the resource. With one join of all rows, SQLite takes a third of the time of two
 * queries in a union.
 */
export function toSelectPath(dialect: SqlDialect): string {
  return `
  SELECT place.type, place.id, place.parent_type, place.parent_id, assigned.role, assigned.holder
  FROM (
    SELECT via_type AS type, via_id AS id, ancestor_type AS parent_type, ancestor_id AS parent_id,
      ancestor_type AS upper_type, ancestor_id AS upper_id
    FROM access_closure WHERE descendant_type = $2 AND descendant_id = $3
    UNION ALL
    SELECT CAST($2 AS TEXT), CAST($3 AS TEXT), NULL, NULL, CAST($2 AS TEXT), CAST($3 AS TEXT)
  ) AS place LEFT JOIN access_role_assignments AS assigned
    ON assigned.holder ${dialect.isOneOf(selectHolders('$1'))}
      AND assigned.resource_type = place.upper_type AND assigned.resource_id = place.upper_id`;
}

/** Reads the roles of a user along all paths up from resources. */
type ReadPaths = (sql: SqlExecutor, userId: UserId, resources: readonly Resource[]) => Promise<readonly GrantedRoles[]>;

/** Builds the function that reads paths, in the SQL of an engine. */
function createReadPaths(dialect: SqlDialect): ReadPaths {
  const [ofOne, ofOneType] = [toSelectPath(dialect), toSelectPaths(dialect, 1)];
  return async (sql, userId, resources) => {
    const [only] = resources;
    if (!only) return [];
    if (resources.length === 1) return [linkPath(only, await sql.read(ofOne, [userId, only.type, only.id]))];
    const requested = new RequestedNodes(resources);
    const text = requested.byType.size === 1 ? ofOneType : toSelectPaths(dialect, requested.byType.size);
    return linkPaths(requested, await sql.read(text, [userId, ...bindRequested(requested, dialect)]));
  };
}

function bindRequested({ byType }: RequestedNodes, dialect: SqlDialect): readonly SqlValue[] {
  return Array.from(byType, ([type, nodes]) => [type, dialect.toList(nodes.map(({ resource }) => resource.id))]).flat();
}

/**
 * The edges of all paths up from many resources: a row for each parent with its children and each role that the user
 * has on it, and a row for each role on a requested resource itself. Requested resources are identified by their
 * place in the list of their type, which is read faster than their id. $1 is the user; a type and its list follow for
 * each of the types. `CROSS JOIN` tells SQLite to start with its left side, here and elsewhere.
 */
function toSelectPaths(dialect: SqlDialect, types: number): string {
  const ofEach = Array.from({ length: types }, (_, at) => {
    const [type, list] = [`$${2 * at + 2}`, `$${2 * at + 3}`];
    return `SELECT CAST(${type} AS TEXT) AS type, value AS id, place FROM (${dialect.selectTexts(list)}) AS listed`;
  });
  const isHeld = `assigned.holder ${dialect.isOneOf(selectHolders('$1'))}`;
  const requested = `(${ofEach.join(' UNION ALL ')}) AS requested`;
  const child = `CASE WHEN via_id = requested.id AND via_type = requested.type
          THEN ${dialect.toJson('requested.place')} ELSE ${dialect.toJson('via_id')} END`;
  return `
    SELECT edge.type, edge.id, assigned.role, assigned.holder, edge.child_type, edge.children, NULL AS place
    FROM (
      SELECT ancestor_type AS type, ancestor_id AS id, via_type AS child_type,
        ${dialect.jsonAgg(child)} AS children
      FROM ${requested} CROSS JOIN access_closure
      WHERE descendant_type = requested.type AND descendant_id = requested.id
      GROUP BY ancestor_id, ancestor_type, via_type
    ) AS edge LEFT JOIN access_role_assignments AS assigned
      ON ${isHeld} AND assigned.resource_type = edge.type AND assigned.resource_id = edge.id
    UNION ALL
    SELECT requested.type, NULL, assigned.role, assigned.holder, NULL, NULL, requested.place
    FROM ${requested} CROSS JOIN access_role_assignments AS assigned
    WHERE ${isHeld} AND assigned.resource_type = requested.type AND assigned.resource_id = requested.id`;
}
