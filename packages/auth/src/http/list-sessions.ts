import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import { listSessions } from '../session/list-sessions.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /sessions` */
export function listSessionsRoute({ auth, requestContext }: RouteParts): Handler {
  return async (c) => renderJson(c, { sessions: await listSessions(auth, requestContext(c)) });
}
