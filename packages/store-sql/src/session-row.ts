import type { NewSession, Revocation, SessionId, SessionRecord, UserId } from '@x/store';

import { type IntegerColumn, toDate, toDateOrNull, toMillisecondsOrNull } from './column.ts';
import type { SqlRow, SqlValue } from './sql-driver.ts';

/**
 * The columns of a session: those that {@link toSessionValues} binds, in its order, then those with an initial value.
 */
export const sessionColumns: string =
  'id, user_id, refresh_token_hash, refresh_salt, ip_address, user_agent, tenant_id, second_factor_at, expires_at, ' +
  'created_at, rotated_at, last_active_at, generation, ver, previous_token_hash, revoked_at';

/** Converts a row of {@link sessionColumns} to the session. */
export function toSessionRecord(columns: SqlRow): SessionRecord {
  const row = columns as unknown as SessionRow;
  return {
    id: row.id,
    userId: row.user_id,
    refreshTokenHash: row.refresh_token_hash,
    previousTokenHash: row.previous_token_hash,
    refreshSalt: row.refresh_salt,
    generation: Number(row.generation),
    rotatedAt: toDate(row.rotated_at),
    ipAddress: row.ip_address,
    userAgent: row.user_agent,
    tenantId: row.tenant_id,
    secondFactorAt: toDateOrNull(row.second_factor_at),
    ver: Number(row.ver),
    createdAt: toDate(row.created_at),
    lastActiveAt: toDate(row.last_active_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDateOrNull(row.revoked_at),
  };
}

/** Converts the rows of a statement that finds or changes at most one session. */
export function toFirstSession([row]: readonly SqlRow[]): SessionRecord | null {
  return row ? toSessionRecord(row) : null;
}

/** Converts a row that contains only a session's id. */
export function toSessionId(columns: SqlRow): SessionId {
  return (columns as unknown as Pick<SessionRow, 'id'>).id;
}

/** Converts a row with a session's id and its raised `ver`. */
export function toRaisedVer(columns: SqlRow): Revocation {
  const { id, ver } = columns as unknown as Pick<SessionRow, 'id' | 'ver'>;
  return { sessionId: id, lowestVer: Number(ver) };
}

/** Converts a new session to the values of the first {@link sessionColumns}. */
export function toSessionValues(session: NewSession, tenantId: string | null): readonly SqlValue[] {
  return [
    session.id,
    session.userId,
    session.refreshTokenHash,
    session.refreshSalt,
    session.ipAddress,
    session.userAgent,
    tenantId,
    toMillisecondsOrNull(session.secondFactorAt),
    session.expiresAt.getTime(),
  ];
}

interface SessionRow {
  readonly id: SessionId;
  readonly user_id: UserId;
  readonly refresh_token_hash: string;
  readonly previous_token_hash: string | null;
  readonly refresh_salt: string;
  readonly generation: IntegerColumn;
  readonly rotated_at: IntegerColumn;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly tenant_id: string | null;
  readonly second_factor_at: IntegerColumn | null;
  readonly ver: IntegerColumn;
  readonly created_at: IntegerColumn;
  readonly last_active_at: IntegerColumn;
  readonly expires_at: IntegerColumn;
  readonly revoked_at: IntegerColumn | null;
}
