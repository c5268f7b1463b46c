import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import { listOAuthAccounts } from '../oauth/link.ts';
import type { RouteParts } from './route-parts.ts';

/** `GET /oauth-accounts` */
export function listOAuthAccountsRoute({ auth, requestContext }: RouteParts): Handler {
  return async (c) => renderJson(c, { accounts: await listOAuthAccounts(auth, requestContext(c)) });
}
