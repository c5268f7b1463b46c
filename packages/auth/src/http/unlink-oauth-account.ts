import { readNothing } from '@x/http';
import type { Handler } from 'hono';
import { unlinkOAuthAccount } from '../oauth/link.ts';
import { renderOk } from './render-ok.ts';
import { parseForUser } from './parse-for-user.ts';
import type { RouteParts } from './route-parts.ts';

/** `DELETE /oauth-accounts/:provider` */
export function unlinkOAuthAccountRoute({ auth, bodyLimit, requestContext }: RouteParts): Handler {
  return async (c) => {
    await parseForUser(auth, c, () => readNothing(c, bodyLimit));
    await unlinkOAuthAccount(auth, c.req.param('provider') ?? '', requestContext(c));
    return renderOk(c);
  };
}
