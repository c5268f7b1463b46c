import type {
  HeldResources,
  HeldRoles,
  Resource,
  RoleAssignment,
  RoleAssignmentStore,
  RoleKind,
  UserId,
} from '@x/store';

import { linkPaths } from './link-paths.ts';
import type { SqlRow, SqlScope, SqlValue } from './sql-driver.ts';
import { toHeldQuery } from './held-query.ts';
import { toValuesList } from './values-list.ts';
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

/**
 * The edges of all paths up from what is asked for, and the roles that the user holds along them. `CROSS JOIN` tells
 * SQLite to start with its left side, here and elsewhere; Postgres sees no difference.
 */
const toSelectPaths = (asked: string): string => `
  WITH asked (type, id) AS (VALUES ${asked}),
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
    AND assignment.resource_type = place.type AND assignment.resource_id = place.id`;

/**
 * The same of one resource, which is what is mostly asked. It walks up edge by edge: they lie on fewer pages than edges and
 * pairs of the closure do.
 */
const selectPath = `
  WITH RECURSIVE up (type, id, parent_type, parent_id) AS (
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
  FROM access_role_assignments WHERE user_id = $1 AND resource_type = $2 AND resource_id = $3`;

const toSelectKinds = (asked: string): string => `
  WITH asked (type, role) AS (VALUES ${asked})
  SELECT type, role FROM asked
  WHERE EXISTS (
    SELECT 1 FROM access_role_assignments AS assignment
    WHERE assignment.user_id = $1 AND assignment.resource_type = asked.type AND assignment.role = asked.role
  )`;

/** Builds the role-assignment store on a SQL scope. */
export function createSqlRoleAssignments(sql: SqlScope): RoleAssignmentStore {
  return {
    assign: async (assignment) => (await sql.execute(insertAssignment, toAssignmentValues(assignment))) === 1,

    revoke: async (assignment) => (await sql.execute(deleteAssignment, toAssignmentValues(assignment))) === 1,

    listByUser: async (userId) => (await sql.read(selectByUser, [userId])).map(toRoleAssignment),

    listByResource: async ({ type, id }) => (await sql.read(selectByResource, [type, id])).map(toRoleAssignment),

    readPaths: (userId, resources) => readPaths(sql, userId, resources),

    findKinds: (userId, kinds) => findKinds(sql, userId, kinds),

    listHeld: (question) => listHeld(sql, question),
  };
}

async function readPaths(sql: SqlScope, userId: UserId, resources: readonly Resource[]): Promise<readonly HeldRoles[]> {
  const [only] = resources;
  if (!only) return [];
  if (resources.length === 1) return linkPaths(resources, await sql.read(selectPath, [userId, only.type, only.id]));
  const parameters = new Parameters();
  parameters.bind(userId);
  const asked = resources.map(({ type, id }) => [type, id]);
  const text = toSelectPaths(toValuesList(asked, parameters.bind));
  return linkPaths(resources, await sql.read(text, parameters.values));
}

async function findKinds(sql: SqlScope, userId: UserId, kinds: readonly RoleKind[]): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const parameters = new Parameters();
  parameters.bind(userId);
  const asked = kinds.map(({ type, role }) => [type, role]);
  const text = toSelectKinds(toValuesList(asked, parameters.bind));
  const rows = await sql.read(text, parameters.values);
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}

async function listHeld(sql: SqlScope, question: HeldResources): Promise<readonly string[]> {
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
