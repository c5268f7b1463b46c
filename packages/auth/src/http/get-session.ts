import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { getSession } from '../session/get-session.ts';

/** `GET /session` */
export function getSessionRoute(auth: AuthContext): Handler {
  return async (c) => renderJson(c, { session: await getSession(auth, c.req.raw.headers) });
}
