import { readJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import type { RequestContext } from '../request/request-context.ts';
import { renderOk } from './render-ok.ts';
import type { RouteParts } from './route-parts.ts';

/** Builds a route that passes its JSON to a verb without a result. */
export function inputRoute(
  { auth, bodyLimit, requestContext }: RouteParts,
  verb: (auth: AuthContext, input: unknown, request: RequestContext) => Promise<void>,
): Handler {
  return async (c) => {
    const input = await readJson(c, bodyLimit);
    await verb(auth, input, requestContext(c));
    return renderOk(c);
  };
}
