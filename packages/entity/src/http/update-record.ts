import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { showWritten } from '../operation/shown-record.ts';
import { updateRecord } from '../operation/update.ts';
import { parseIfMatch } from './parse-if-match.ts';
import { renderRecord } from './render-record.ts';
import { idOf, type RouteParts } from './route-parts.ts';

/** `PATCH /<entity>/:id` */
export function updateRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const request = { id: idOf(c), ifMatch: parseIfMatch(c.req.header('if-match')) };
    const scope = await openRequest(c);
    return renderRecord(c, await showWritten(scope, entity, await updateRecord(scope, entity, request, input)));
  };
}
