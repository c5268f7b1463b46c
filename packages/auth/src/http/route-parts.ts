import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import type { Auth } from '../create-auth.ts';
import type { RequestContext } from '../request/request-context.ts';
import { createApiRequest } from './api-request.ts';

/** What the handlers of an auth's routes share. */
export interface RouteParts {
  readonly auth: AuthContext;
  /** The most bytes that a request body may have. */
  readonly bodyLimit: number;
  /** Converts a request to the context that the verbs take. */
  readonly requestContext: (c: Context) => RequestContext;
}

/** Creates the shared parts of an auth's routes. */
export function createRouteParts(auth: Auth, bodyLimit: number): RouteParts {
  return { auth: auth.context, bodyLimit, requestContext: createApiRequest(auth) };
}
