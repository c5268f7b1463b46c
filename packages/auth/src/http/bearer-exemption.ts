import { sendsAppCookie } from '@x/http';
import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { verifiedClaims } from '../session/get-session.ts';

/**
 * Builds what tells requests that need no proof of their page: those with a good bearer token and none of our cookies. No
 * browser adds such a token by itself, so no foreign page can make one send it.
 */
export function bearerExemption(auth: AuthContext): (c: Context) => Promise<boolean> {
  return async (c) => {
    const { headers } = c.req.raw;
    return !sendsAppCookie(headers) && (await verifiedClaims(auth, headers)) !== null;
  };
}
