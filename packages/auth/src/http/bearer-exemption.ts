import { sendsAppCookie } from '@x/http';
import type { Context } from 'hono';
import type { AuthContext } from '../auth-context.ts';
import { verifiedClaims } from '../session/get-session.ts';

/**
 * Builds the check for requests that are exempt from CSRF protection: those with a valid bearer token and none of our
 * cookies. Browsers never add such a token on their own, so a foreign page can't make one send it.
 */
export function bearerExemption(auth: AuthContext): (c: Context) => Promise<boolean> {
  return async (c) => {
    const { headers } = c.req.raw;
    return !sendsAppCookie(headers) && (await verifiedClaims(auth, headers)) !== null;
  };
}
