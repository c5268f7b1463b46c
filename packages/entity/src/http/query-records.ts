import { readJson } from '@x/http';
import type { Handler } from 'hono';
import { listRecords } from '../operation/list.ts';
import { renderPage } from './render-page.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /<entity>/query` */
export function queryRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const query = await readJson(c, bodyLimit);
    return renderPage(c, await listRecords(await openRequest(c), entity, query));
  };
}
