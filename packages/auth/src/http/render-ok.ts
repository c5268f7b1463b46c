import { renderJson } from '@x/http';
import type { Context } from 'hono';

/** Responds to a step without a result. */
export function renderOk(c: Context, cookies?: readonly string[]): Response {
  return renderJson(c, { ok: true }, cookies && { cookies });
}
