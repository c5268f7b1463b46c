import { createClientAddress } from '@x/http';
import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import type { RequestContext } from '../request/request-context.ts';

/** What every route of an auth is made of. */
export interface RouteParts {
  readonly auth: AuthContext;
  /** Bytes that a request body may have. */
  readonly bodyLimit: number;
  /** Converts a request to what the verbs need of it. */
  readonly requestContext: (c: Context) => RequestContext;
}

/** Makes the parts of an auth's routes. */
export function createRouteParts(auth: AuthContext, bodyLimit: number): RouteParts {
  const clientAddress = createClientAddress(auth.config.trustProxy);
  return {
    auth,
    bodyLimit,
    requestContext: (c) => ({ headers: c.req.raw.headers, ipAddress: clientAddress(c) }),
  };
}
