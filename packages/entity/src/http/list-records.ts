import type { Handler } from 'hono';
import { listRecords } from '../operation/list.ts';
import { readQuery } from './read-query.ts';
import { renderPage } from './render-page.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /<entity>` */
export function listRoute({ entity, openRequest }: RouteParts): Handler {
  return async (c) => renderPage(c, await listRecords(await openRequest(c), entity, readQuery(c)));
}
