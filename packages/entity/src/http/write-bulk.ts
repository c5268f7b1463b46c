import { readJson, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { showAllWritten } from '../operation/shown-record.ts';
import { writeBulk } from '../operation/bulk.ts';
import type { RouteParts } from './route-parts.ts';
import { toWire } from './to-wire.ts';

/** `POST /<entity>/bulk` */
export function bulkRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const scope = await openRequest(c);
    const { created, updated, deleted } = await writeBulk(scope, entity, input);
    return renderJson(c, {
      created: (await showAllWritten(scope, entity, created)).map(toWire),
      updated: (await showAllWritten(scope, entity, updated)).map(toWire),
      deleted,
    });
  };
}
