import type { Awaitable } from '@x/errors';
import type { Context, MiddlewareHandler } from 'hono';
import { csrfFailed, type CsrfPolicy, passesCsrfCheck, requestOrigin } from './csrf.ts';

/**
 * Refuses requests that no page of the app sent, with `CSRF_FAILED`.
 *
 * @param isExempt - only called for a request that would be refused; true lets it pass. It must be certain that no
 * browser attached the credentials on its own: for example, a verified bearer token and none of our cookies
 */
export function csrf(
  policy: CsrfPolicy,
  isExempt: (c: Context) => Awaitable<boolean> = () => false,
): MiddlewareHandler {
  return async function checkCsrf(c, next) {
    const request = requestOrigin(c.req.raw.headers, portOf(c));
    if (!passesCsrfCheck(request, policy) && !(await isExempt(c))) throw csrfFailed(request, policy);
    await next();
  };
}

function portOf(c: Context<{ Bindings: { incoming?: { socket?: { localPort?: number } } } }>): string {
  const localPort = c.env?.incoming?.socket?.localPort;
  return localPort === undefined ? new URL(c.req.url).port || '80' : String(localPort);
}
