import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import type { Auth } from '../create-auth.ts';
import type { RequestContext } from '../request/request-context.ts';
import { createApiRequest } from './api-request.ts';

/** What every route of an auth is made of. */
export interface RouteParts {
  readonly auth: AuthContext;
  /** Bytes that a request body may have. */
  readonly bodyLimit: number;
  /** Converts a request to what the verbs need of it. */
  readonly requestContext: (c: Context) => RequestContext;
}

/** Makes the parts of an auth's routes. */
export function createRouteParts(auth: Auth, bodyLimit: number): RouteParts {
  return { auth: auth.context, bodyLimit, requestContext: createApiRequest(auth) };
}
