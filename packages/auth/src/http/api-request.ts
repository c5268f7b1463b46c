import { createClientAddress } from '@x/http';
import type { Context } from 'hono';
import type { Auth } from '../create-auth.ts';
import type { RequestContext } from '../request/request-context.ts';

/**
 * Builds what makes the request that `auth.api` takes out of the context of an app's own route: its headers, and its
 * client's address as `trustProxy` wants it read.
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
