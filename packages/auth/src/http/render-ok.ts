import { renderJson } from '@x/http';
import type { Context } from 'hono';

/** Answers a step that has nothing to show. */
export function renderOk(c: Context, cookies?: readonly string[]): Response {
  return renderJson(c, { ok: true }, cookies && { cookies });
}
