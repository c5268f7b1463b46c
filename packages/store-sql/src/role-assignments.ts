import type { GrantedResources, RoleAssignment, RoleAssignmentStore, UserId } from '@x/store';

import { findKinds } from './find-kinds.ts';
import { createReadPaths } from './read-paths.ts';
import type { OnScope, SqlDialect, SqlRow, SqlScope, SqlValue } from './sql-driver.ts';
import { toHeldQuery } from './held-query.ts';
import { Parameters } from './where/parameters.ts';

const insertAssignment = `
  INSERT INTO access_role_assignments (user_id, resource_type, resource_id, role) VALUES ($1, $2, $3, $4)
  ON CONFLICT (user_id, resource_type, resource_id, role) DO NOTHING`;

const deleteAssignment = `
  DELETE FROM access_role_assignments
  WHERE user_id = $1 AND resource_type = $2 AND resource_id = $3 AND role = $4`;

const selectByUser = `
  SELECT user_id, resource_type, resource_id, role FROM access_role_assignments WHERE user_id = $1`;

const selectByResource = `
  SELECT user_id, resource_type, resource_id, role FROM access_role_assignments
  WHERE resource_type = $1 AND resource_id = $2`;

/** Builds the role-assignment store of every scope. */
export function createSqlRoleAssignments({ dialect }: { readonly dialect: SqlDialect }): OnScope<RoleAssignmentStore> {
  const readPaths = createReadPaths(dialect);
  return (sql) => ({
    assign: async (assignment) => (await sql.execute(insertAssignment, toAssignmentValues(assignment))) === 1,

    revoke: async (assignment) => (await sql.execute(deleteAssignment, toAssignmentValues(assignment))) === 1,

    listByUser: async (userId) => (await sql.read(selectByUser, [userId])).map(toRoleAssignment),

    listByResource: async ({ type, id }) => (await sql.read(selectByResource, [type, id])).map(toRoleAssignment),

    readPaths: (userId, resources) => readPaths(sql, userId, resources),

    findKinds: (userId, kinds) => findKinds(sql, userId, kinds),

    listGranted: (question) => listHeld(sql, question),
  });
}

async function listHeld(sql: SqlScope, question: GrantedResources): Promise<readonly string[]> {
  const parameters = new Parameters();
  const rows = await sql.read(toHeldQuery(question, parameters.bind), parameters.values);
  return [...new Set(rows.map((row) => (row as unknown as { readonly id: string }).id))];
}

function toAssignmentValues({ userId, resource, role }: RoleAssignment): readonly SqlValue[] {
  return [userId, resource.type, resource.id, role];
}

function toRoleAssignment(columns: SqlRow): RoleAssignment {
  const row = columns as unknown as AssignmentRow;
  return { userId: row.user_id, resource: { type: row.resource_type, id: row.resource_id }, role: row.role };
}

interface AssignmentRow {
  readonly user_id: UserId;
  readonly resource_type: string;
  readonly resource_id: string;
  readonly role: string;
}
