import { readJson, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { toShownRecord } from '../pipeline/shown-record.ts';
import { writeBulk } from '../pipeline/write-bulk.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /<entity>/bulk` */
export function bulkRoute({ entity, openRequest, bodyLimit }: RouteParts): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    const { created, updated, deleted } = await writeBulk(await openRequest(c), entity, input);
    return renderJson(c, {
      created: created.map(({ row }) => toShownRecord(entity, row)),
      updated: updated.map(({ row }) => toShownRecord(entity, row)),
      deleted,
    });
  };
}
