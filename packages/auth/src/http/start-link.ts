import { readOptionalJson, renderJson } from '@x/http';
import type { Handler } from 'hono';
import { startLink } from '../oauth/start.ts';
import type { RouteParts } from './route-parts.ts';

/** `POST /oauth/:provider/link` */
export function startLinkRoute({ auth, bodyLimit, requestContext }: RouteParts, provider: string): Handler {
  return async (c) => {
    const body = await readOptionalJson(c, bodyLimit);
    const input = body === undefined ? {} : body;
    const { url, cookies } = await startLink(auth, provider, input, requestContext(c));
    return renderJson(c, { url }, { cookies });
  };
}
