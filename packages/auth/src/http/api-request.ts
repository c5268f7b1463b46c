import { createClientAddress } from '@x/http';
import type { Context } from 'hono';
import type { Auth } from '../create-auth.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Creates the function that converts the Hono context of your own route to the request that `auth.api` takes: the
 * headers, and the client's address as determined by `trustProxy`.
 *
 * @example
 * ```ts
 * const apiRequest = createApiRequest(auth);
 * app.post('/leave', async (c) => c.json(await auth.api.signOut(apiRequest(c))));
 * ```
 */
export function createApiRequest({ context: auth }: Auth): (c: Context) => RequestContext {
  const clientAddress = createClientAddress(auth.config.trustProxy);
  return (c) => ({ headers: c.req.raw.headers, ipAddress: clientAddress(c) });
}
