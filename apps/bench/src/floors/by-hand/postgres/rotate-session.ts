import type { Pool } from 'pg';
import { type Database, maxRefreshes, type SessionRow, type UserRow, windowMs } from '../database.ts';
import { hashToken } from '../refresh-token.ts';
import { countAttempt } from './count-attempt.ts';
import { statement } from './statement.ts';

const countAndFind = `
  WITH attempt AS (${countAttempt})
  SELECT attempt.count AS attempts, sessions.id, generation, refresh_salt, ver, expires_at, users.id AS user_id, email,
    email_verified, role, tenant_id, users.created_at AS user_created_at, users.updated_at AS user_updated_at
  FROM attempt LEFT JOIN (sessions JOIN users ON users.id = user_id) ON sessions.id = $3`;

const swapToken = `
  UPDATE sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = $1, generation = generation + 1, rotated_at = $2,
    last_active_at = $2
  WHERE id = $3 AND refresh_token_hash = $4 AND revoked_at IS NULL AND expires_at > $2`;

/**
 * Returns what rotates: the limit and both reads in one statement, the swap in another. Two commits of their own were
 * quicker than one transaction, which takes two more round trips.
 */
export function createRotation(pool: Pool): Database['rotate'] {
  const find = statement<Found, [string, number, string]>(pool, 'count_and_find', countAndFind);
  const swap = statement<never, [string, number, string, string]>(pool, 'swap_token', swapToken);
  return async ({ key, sessionId, tokenHash, now }, derive) => {
    const [row] = (await find(key, now + windowMs, sessionId)).rows;
    if (row === undefined || row.attempts > maxRefreshes) return 429;
    if (row.id === null) return 401;
    const refreshToken = derive(row);
    const { rowCount } = await swap(hashToken(refreshToken), now, sessionId, tokenHash);
    return rowCount === 1 ? { row, refreshToken } : 401;
  };
}

/** All but the attempts is null where there is no such session. */
type Found = { readonly attempts: number } & ((SessionRow & UserRow) | { readonly id: null });
