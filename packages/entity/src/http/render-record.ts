import { type JsonResponseOptions, renderJson } from '@x/http';
import type { Context } from 'hono';
import type { Shown } from '../operation/shown-record.ts';
import { toWire } from './to-wire.ts';

/** Responds with a record and the `ETag` of its version. */
export function renderRecord(c: Context, { record, version }: Shown, answer: JsonResponseOptions = {}): Response {
  return renderJson(c, toWire(record), { ...answer, headers: { ETag: `"${version}"`, ...answer.headers } });
}
