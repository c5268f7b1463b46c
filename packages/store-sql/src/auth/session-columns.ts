import type { AuthenticationMethod, SessionRecord, SessionWithUser } from '@x/store';

import { type Columns, defineColumns, integer, moment, momentOrNull, text, textOrNull } from '../columns.ts';
import type { SqlRow } from '../sql-executor.ts';
import { userColumns } from './users.ts';

/** The columns of `auth_sessions`. */
export const sessionColumns: Columns<SessionRecord> = defineColumns((row): SessionRecord => ({
  id: text(row['id']),
  userId: text(row['user_id']),
  refreshTokenHash: text(row['refresh_token_hash']),
  previousTokenHash: textOrNull(row['previous_token_hash']),
  refreshSalt: text(row['refresh_salt']),
  generation: integer(row['generation']),
  rotatedAt: moment(row['rotated_at']),
  ipAddress: textOrNull(row['ip_address']),
  userAgent: textOrNull(row['user_agent']),
  tenantId: textOrNull(row['tenant_id']),
  secondFactorAt: momentOrNull(row['second_factor_at']),
  authenticatedAt: moment(row['authenticated_at']),
  authenticatedBy: text<AuthenticationMethod>(row['authenticated_by']),
  ver: integer(row['ver']),
  createdAt: moment(row['created_at']),
  lastActiveAt: moment(row['last_active_at']),
  expiresAt: moment(row['expires_at']),
  revokedAt: momentOrNull(row['revoked_at']),
}));

const joinedSession = sessionColumns.as('s');

const joinedUser = userColumns.as('u');

/** The columns of a session and of its user, in {@link sessionWithUserTables}. */
export const sessionWithUserColumns: string = `${joinedSession.names}, ${joinedUser.names}`;

/** The sessions `s`, each with its user `u`. */
export const sessionWithUserTables = 'auth_sessions s JOIN auth_users u ON u.id = s.user_id';

/** Converts the row of {@link sessionWithUserColumns}; null if there is none, or nothing in it. */
export function toSessionWithUser([row]: readonly SqlRow[]): SessionWithUser | null {
  if (!row || row['s_id'] === null) return null;
  return { session: joinedSession.decode(row), user: joinedUser.decode(row) };
}
