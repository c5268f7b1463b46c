import type { RoleAssignment, RoleAssignmentStore, RoleKind, UserId } from '@x/store';
import { Parameters, toValuesList } from '../parameters.ts';
import { defineColumns, text } from '../columns.ts';
import type { OnScope, SqlRow, SqlScope, SqlStoreDependencies, SqlValue } from '../sql-driver.ts';
import { createReadPaths } from './role-paths.ts';

interface StoredAssignment {
  readonly userId: UserId;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly role: string;
}

const assignmentColumns = defineColumns((row): StoredAssignment => ({
  userId: text(row['user_id']),
  resourceType: text(row['resource_type']),
  resourceId: text(row['resource_id']),
  role: text(row['role']),
}));

const insertAssignment = `
  INSERT INTO access_role_assignments (${assignmentColumns.names}) VALUES (${assignmentColumns.placeholders})
  ON CONFLICT (user_id, resource_type, resource_id, role) DO NOTHING`;

const deleteAssignment = `
  DELETE FROM access_role_assignments
  WHERE (${assignmentColumns.names}) = (${assignmentColumns.placeholders})`;

const selectByUser = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments WHERE user_id = $1`;

const selectByResource = `
  SELECT ${assignmentColumns.names} FROM access_role_assignments
  WHERE resource_type = $1 AND resource_id = $2`;

/** Builds the role-assignment store of every scope. */
export function createSqlRoleAssignments({ dialect }: SqlStoreDependencies): OnScope<RoleAssignmentStore> {
  const readPaths = createReadPaths(dialect);
  return (sql) => ({
    assign: async (assignment) => (await sql.execute(insertAssignment, toAssignmentValues(assignment))) === 1,

    revoke: async (assignment) => (await sql.execute(deleteAssignment, toAssignmentValues(assignment))) === 1,

    listByUser: async (userId) => (await sql.read(selectByUser, [userId])).map(toRoleAssignment),

    listByResource: async ({ type, id }) => (await sql.read(selectByResource, [type, id])).map(toRoleAssignment),

    readPaths: (userId, resources) => readPaths(sql, userId, resources),

    findKinds: (userId, kinds) => findKinds(sql, userId, kinds),
  });
}

function toAssignmentValues({ userId, resource, role }: RoleAssignment): readonly SqlValue[] {
  return assignmentColumns.encode({ userId, resourceType: resource.type, resourceId: resource.id, role });
}

function toRoleAssignment(row: SqlRow): RoleAssignment {
  const { userId, resourceType, resourceId, role } = assignmentColumns.decode(row);
  return { userId, resource: { type: resourceType, id: resourceId }, role };
}

const toSelectKinds = (requested: string): string => `
  WITH kind (type, role) AS (VALUES ${requested})
  SELECT kind.type, kind.role FROM kind WHERE EXISTS (
    SELECT 1 FROM access_role_assignments AS own
    WHERE own.user_id = $1 AND own.resource_type = kind.type AND own.role = kind.role
  )`;

/** Finds which of the kinds of roles a user has on any resource. */
async function findKinds(sql: SqlScope, userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const parameters = new Parameters();
  parameters.bind(userId);
  const requested = kinds.map(({ type, role }) => [type, role]);
  const rows = await sql.read(toSelectKinds(toValuesList(requested, parameters.bind)), parameters.values);
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}
