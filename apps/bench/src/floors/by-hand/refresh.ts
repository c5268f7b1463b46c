import type Database from 'better-sqlite3';
import type { Context } from 'hono';
import { answerSession } from './answer-session.ts';
import { readCookie } from './cookies.ts';
import type { SessionRow, UserRow } from './open-database.ts';
import { deriveRefreshToken, hashToken, sessionIdOf } from './refresh-token.ts';
import type { Settings } from './settings.ts';

const maxAttempts = 10;
const windowMs = 60_000;

/** A minute from now is what an attempt brings along; where the stored one is over by now, it starts anew. */
const countAttempt = `
  INSERT INTO rate_limits (key, count, resets_at) VALUES (?, 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    count = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN 1 ELSE count + 1 END,
    resets_at = CASE WHEN resets_at <= excluded.resets_at - ${windowMs} THEN excluded.resets_at ELSE resets_at END
  RETURNING count`;

const selectSession = `
  SELECT sessions.*, users.id AS user_id, email, email_verified, role, tenant_id,
    users.created_at AS user_created_at, users.updated_at AS user_updated_at
  FROM sessions JOIN users ON users.id = user_id WHERE sessions.id = ?`;

const rotate = `
  UPDATE sessions
  SET previous_token_hash = refresh_token_hash, refresh_token_hash = ?, generation = generation + 1, rotated_at = ?,
    last_active_at = ?
  WHERE id = ? AND refresh_token_hash = ? AND revoked_at IS NULL AND expires_at > ?`;

/**
 * `POST /refresh`: the limit, both reads and the rotation in one transaction, then a JWT. It does not look at who sent
 * the request (CSRF), forgives no retry, and sees no reuse.
 */
export function refreshRoute(database: Database.Database, settings: Settings): (c: Context) => Promise<Response> {
  const attempt = database.prepare<[string, number]>(countAttempt).pluck();
  const find = database.prepare<[string], SessionRow & UserRow>(selectSession);
  const swap = database.prepare<[string, number, number, string, string, number]>(rotate);

  const rotateSession = database.transaction((token: string, address: string, now: number): Rotated | 401 | 429 => {
    if (Number(attempt.get(`refresh:${address}`, now + windowMs)) > maxAttempts) return 429;
    const sessionId = sessionIdOf(token);
    const row = find.get(sessionId);
    if (row === undefined) return 401;
    const seed = { sessionId, generation: row.generation + 1, salt: row.refresh_salt };
    const refreshToken = deriveRefreshToken(settings.refreshKey, seed);
    const { changes } = swap.run(hashToken(refreshToken), now, now, sessionId, hashToken(token), now);
    return changes === 1 ? { row, refreshToken, now } : 401;
  });

  return async (c) => {
    const token = readCookie(c.req.header('cookie'), 'app.ref');
    if (token === null) return c.json({ error: { code: 'SESSION_EXPIRED' } }, 401);
    const rotated = rotateSession.immediate(token, clientAddress(c), Date.now());
    if (typeof rotated === 'number') return c.json({ error: { code: 'REFUSED' } }, rotated);
    return await answerSession(c, settings, rotated);
  };
}

interface Rotated {
  readonly row: SessionRow & UserRow;
  readonly refreshToken: string;
  readonly now: number;
}

/** The nearest hop is trusted, so the last address counts. */
function clientAddress(c: Context): string {
  return c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
}
