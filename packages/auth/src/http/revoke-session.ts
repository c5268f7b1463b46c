import { readNothing } from '@x/http';
import type { Handler } from 'hono';
import { revokeSession } from '../session/revoke-session.ts';
import { renderOk } from './render-ok.ts';
import { parseForUser } from './parse-for-user.ts';
import type { RouteParts } from './route-parts.ts';

/** `DELETE /sessions/:id` */
export function revokeSessionRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await parseForUser(auth, c, () => readNothing(c, bodyLimit));
    await revokeSession(auth, c.req.param('id') ?? '', requestContext(c));
    return renderOk(c);
  };
}
