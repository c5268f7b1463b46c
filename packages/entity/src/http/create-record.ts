import { readJson, requestPath } from '@x/http';
import type { Handler } from 'hono';
import { createRecord } from '../pipeline/create-record.ts';
import { toShown } from '../pipeline/shown-record.ts';
import { renderRecord } from './render-record.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /<entity>` */
export function createRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const created = await createRecord(await openRequest(c), entity, input);
    const location = `${requestPath(c.req.url)}/${created.row.id}`;
    return renderRecord(c, toShown(entity, created), { status: 201, headers: { Location: location } });
  };
}
