import { readNothing, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { revokeOtherSessions } from '../session/revoke-other-sessions.ts';
import type { RouteParts } from './route-parts.ts';

/** `DELETE /sessions` */
export function revokeOtherSessionsRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await readNothing(c, bodyLimit);
    const { revoked } = await revokeOtherSessions(auth, requestContext(c));
    return renderJson(c, { ok: true, revoked });
  };
}
