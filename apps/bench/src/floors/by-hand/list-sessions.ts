import type { Context } from 'hono';
import { verifyAccessToken } from './tokens.ts';
import { readCookie } from './session.ts';
import type { Database, SessionRow } from './database.ts';
import type { Settings } from './settings.ts';

/** `GET /sessions`: the JWT, verified once, then the caller's row and the list in one statement. */
export function listSessionsRoute(database: Database, settings: Settings): (c: Context) => Promise<Response> {
  return async (c) => {
    const token = readCookie(c.req.header('cookie'), 'app.sid');
    const caller = token && (await verifyAccessToken(settings, token));
    const rows = caller ? await database.listOwn(caller.sid, Date.now()) : [];
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
