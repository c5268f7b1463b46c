import type SqliteDatabase from 'better-sqlite3';
import { type Database, maxRefreshes, type SessionRow, type UserRow } from '../database.ts';
import { hashToken } from '../refresh-token.ts';

const selectSession = `
  SELECT sessions.*, users.id AS user_id, email, email_verified, role, tenant_id,
    users.created_at AS user_created_at, users.updated_at AS user_updated_at
  FROM sessions JOIN users ON users.id = user_id WHERE sessions.id = ?`;

const swapToken = `
  UPDATE sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = ?, generation = generation + 1, rotated_at = ?,
    last_active_at = ?
  WHERE id = ? AND refresh_token_hash = ? AND revoked_at IS NULL AND expires_at > ?`;

/** Returns what rotates: the limit, both reads and the swap in one transaction. */
export function createRotation(
  database: SqliteDatabase.Database,
  countAttempt: (key: string, now: number) => number,
): Database['rotate'] {
  const find = database.prepare<[string], SessionRow & UserRow>(selectSession);
  const swap = database.prepare<[string, number, number, string, string, number]>(swapToken);
  const rotate = database.transaction<Database['rotate']>(({ key, sessionId, tokenHash, now }, derive) => {
    if (countAttempt(key, now) > maxRefreshes) return 429;
    const row = find.get(sessionId);
    if (row === undefined) return 401;
    const refreshToken = derive(row);
    const { changes } = swap.run(hashToken(refreshToken), now, now, sessionId, tokenHash, now);
    return changes === 1 ? { row, refreshToken } : 401;
  });
  return (attempt, derive) => rotate.immediate(attempt, derive);
}
