import type { Handler } from 'hono';
import { startFlow } from '../oauth/start.ts';
import { onlyQuery } from './only-query.ts';
import { renderRedirect } from './render-redirect.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /oauth/:provider` */
export function startOAuthRoute({ auth, requestContext }: RouteParts, provider: string): Handler {
  return async (c) => {
    const { url, cookies } = await startFlow(auth, provider, onlyQuery(c, ['redirectTo']), requestContext(c));
    return renderRedirect(url, cookies);
  };
}
