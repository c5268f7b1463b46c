import { renderJson } from '@x/http';
import type { Handler } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { listProviders } from '../oauth/oauth.ts';

/** `GET /providers` */
export function listProvidersRoute(auth: AuthContext): Handler {
  const body = JSON.stringify({ providers: listProviders(auth) });
  return (c) => renderJson(c, body);
}
