import type { Context } from 'hono';
import type { Database, SessionRow } from './database.ts';
import { sendSession, clientAddress, readCookie } from './session.ts';
import type { Settings } from './settings.ts';
import { deriveRefreshToken, hashToken, sessionIdOf } from './tokens.ts';

/**
 * `POST /refresh`: the limit, both reads and the rotation, then a JWT. It does not look at who sent the request (CSRF),
 * forgives no retry, and sees no reuse.
 */
export function refreshRoute(database: Database, settings: Settings): (c: Context) => Promise<Response> {
  const deriveNext = ({ id, generation, refresh_salt }: SessionRow): string =>
    deriveRefreshToken(settings.refreshKey, { sessionId: id, generation: generation + 1, salt: refresh_salt });

  return async (c) => {
    const token = readCookie(c.req.header('cookie'), 'app.ref');
    if (token === null) return c.json({ error: { code: 'SESSION_EXPIRED' } }, 401);
    const now = Date.now();
    const key = `refresh:${clientAddress(c)}`;
    const attempt = { key, sessionId: sessionIdOf(token), tokenHash: hashToken(token), now };
    const rotated = await database.rotate(attempt, deriveNext);
    if (typeof rotated === 'number') return c.json({ error: { code: 'REFUSED' } }, rotated);
    return await sendSession(c, settings, { ...rotated, now });
  };
}
