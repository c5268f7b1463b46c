import type { RoleKind, UserId } from '@x/store';
import type { SqlScope } from './sql-driver.ts';
import { toValuesList } from './values-list.ts';
import { Parameters } from './where/parameters.ts';

const toSelectKinds = (asked: string): string => `
  WITH kind (type, role) AS (VALUES ${asked})
  SELECT kind.type, kind.role FROM kind WHERE EXISTS (
    SELECT 1 FROM access_role_assignments AS own
    WHERE own.user_id = $1 AND own.resource_type = kind.type AND own.role = kind.role
  )`;

/** Finds which of the kinds of roles a user holds on any resource. */
export async function findKinds(
  sql: SqlScope,
  userId: UserId,
  kinds: readonly RoleKind[],
): Promise<readonly RoleKind[]> {
  if (kinds.length === 0) return [];
  const parameters = new Parameters();
  parameters.bind(userId);
  const asked = kinds.map(({ type, role }) => [type, role]);
  const rows = await sql.read(toSelectKinds(toValuesList(asked, parameters.bind)), parameters.values);
  return kinds.filter(({ type, role }) => rows.some((row) => row['type'] === type && row['role'] === role));
}
