import { errorHandler } from '@x/http';
import type { Handler } from 'hono';
import { completeFlow } from '../oauth/callback.ts';
import { clearedFlowCookies } from '../oauth/state.ts';
import { onlyQuery } from './only-query.ts';
import { renderRedirect } from './render-redirect.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /oauth/:provider/callback`; whatever the outcome, it clears the cookie of the flow. */
export function completeOAuthRoute({ auth, requestContext }: RouteParts, provider: string): Handler {
  const renderFault = errorHandler(auth.logger);
  return async (c) => {
    const answer = onlyQuery(c, ['code', 'state', 'error', 'iss']);
    try {
      const { location, cookies } = await completeFlow(auth, provider, answer, requestContext(c));
      return renderRedirect(location, cookies);
    } catch (error) {
      const fault = await renderFault(error instanceof Error ? error : new Error(String(error)), c);
      for (const cookie of clearedFlowCookies(auth.config, c.req.raw.headers, answer.state)) {
        fault.headers.append('Set-Cookie', cookie);
      }
      return fault;
    }
  };
}
