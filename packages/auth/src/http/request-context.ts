import { clientAddress } from '@x/http';
import type { Context } from 'hono';
import type { RequestContext } from '../request/request-context.ts';

/** Converts a request to what the verbs need of it. */
export function requestContext(c: Context): RequestContext {
  return { headers: c.req.raw.headers, ipAddress: clientAddress(c) };
}
