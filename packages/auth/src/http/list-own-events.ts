import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import { listOwnEvents } from '../account/list-own-events.ts';
import { parseForUser } from './parse-for-user.ts';
import { parsePageQuery } from './parse-page-query.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /events` */
export function listOwnEventsRoute({ auth, requestContext }: RouteParts): Handler {
  return async (c) => {
    const query = await parseForUser(auth, c, () => parsePageQuery(c));
    return renderJson(c, await listOwnEvents(auth, query, requestContext(c)));
  };
}
