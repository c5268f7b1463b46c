import type { Handler } from 'hono';
import { getRecord } from '../operation/get.ts';
import { readQuery } from './read-query.ts';
import { renderRecord } from './render-record.ts';
import { idOf, type RouteParts } from './route-parts.ts';

/** `GET /<entity>/:id` */
export function getRoute({ entity, openRequest }: RouteParts): Handler {
  return async (c) => renderRecord(c, await getRecord(await openRequest(c), entity, idOf(c), readQuery(c)));
}
