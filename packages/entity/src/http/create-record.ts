import { readJson, requestPath } from '@x/http';
import type { Handler } from 'hono';
import { createRecord } from '../operation/create.ts';
import { showWritten } from '../operation/shown-record.ts';
import { renderRecord } from './render-record.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /<entity>` */
export function createRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const scope = await openRequest(c);
    const created = await createRecord(scope, entity, input);
    const location = `${requestPath(c.req.url)}/${created.row.id}`;
    return renderRecord(c, await showWritten(scope, entity, created), { status: 201, headers: { Location: location } });
  };
}
