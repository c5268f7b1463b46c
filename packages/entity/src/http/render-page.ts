import { renderJson } from '@x/http';
import type { Context } from 'hono';
import type { RecordPage } from '../action/entity-api.ts';
import type { ShownRecord } from '../operation/shown-record.ts';
import { toWire } from './to-wire.ts';

/** Responds with a page of records. */
export function renderPage(c: Context, page: RecordPage<ShownRecord>): Response {
  return renderJson(c, { ...page, items: page.items.map(toWire) });
}
