import { readNothing, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { revokeOtherSessions } from '../session/revoke-other-sessions.ts';
import { parseForUser } from './parse-for-user.ts';
import type { RouteParts } from './route-parts.ts';

/** `DELETE /sessions` */
export function revokeOtherSessionsRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await parseForUser(auth, c, () => readNothing(c, bodyLimit));
    const { revoked } = await revokeOtherSessions(auth, requestContext(c));
    return renderJson(c, { ok: true, revoked });
  };
}
