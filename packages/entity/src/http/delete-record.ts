import { readNothing } from '@x/http';
import type { Handler } from 'hono';
import { deleteRecord } from '../operation/delete.ts';
import { parseIfMatch } from './parse-if-match.ts';
import { idOf, type RouteParts } from './route-parts.ts';

/** `DELETE /<entity>/:id` */
export function deleteRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    await readNothing(c, bodyLimit);
    const request = { id: idOf(c), ifMatch: parseIfMatch(c.req.header('if-match')) };
    await deleteRecord(await openRequest(c), entity, request);
    return c.body(null, 204);
  };
}
