import type Database from 'better-sqlite3';
import type { Context } from 'hono';
import { verifyAccessToken } from './access-token.ts';
import { readCookie } from './cookies.ts';
import type { SessionRow } from './open-database.ts';
import type { Settings } from './settings.ts';

/** Nothing where the caller's own session is over. */
const selectOwn = `
  SELECT id, ip_address, user_agent, created_at, last_active_at, expires_at FROM sessions
  WHERE revoked_at IS NULL AND expires_at > ? AND user_id = (
    SELECT user_id FROM sessions WHERE id = ? AND revoked_at IS NULL AND expires_at > ?
  )
  ORDER BY last_active_at DESC, id`;

/** `GET /sessions`: the JWT, verified once, then the caller's row and the list in one statement. */
export function listSessionsRoute(database: Database.Database, settings: Settings): (c: Context) => Promise<Response> {
  const list = database.prepare<[number, string, number], SessionRow>(selectOwn);
  return async (c) => {
    const token = readCookie(c.req.header('cookie'), 'app.sid');
    const caller = token && (await verifyAccessToken(settings, token));
    const now = Date.now();
    const rows = caller ? list.all(now, caller.sid, now) : [];
    if (!caller || rows.length === 0) return c.json({ error: { code: 'UNAUTHENTICATED' } }, 401);
    return c.json({ sessions: rows.map((row) => toSession(row, caller.sid)) });
  };
}

function toSession(row: SessionRow, currentId: string): object {
  return {
    id: row.id,
    deviceName: nameDevice(row.user_agent),
    ipAddress: row.ip_address,
    isCurrent: row.id === currentId,
    createdAt: new Date(row.created_at).toISOString(),
    lastActiveAt: new Date(row.last_active_at).toISOString(),
    expiresAt: new Date(row.expires_at).toISOString(),
  };
}

/** Two searches, where the project reads the user agent properly. */
function nameDevice(userAgent: string): string {
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0] ?? 'Browser';
  const system = /Windows|Android|iPhone|Mac OS|Linux/.exec(userAgent)?.[0] ?? 'unknown';
  return `${browser} on ${system}`;
}
