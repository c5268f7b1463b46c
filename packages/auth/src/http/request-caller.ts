import type { Context } from 'hono';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { Awaitable } from '../access-token/awaitable.ts';
import type { Auth } from '../create-auth.ts';
import { verifiedClaims } from '../session/get-session.ts';

/** The caller of a request, as far as its JWT tells. */
export interface RequestCaller {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When a second factor was last verified in the session. */
  readonly secondFactorAt: Date | null;
}

/**
 * Creates the function that returns the caller of a request, judged by the JWT alone; null for an anonymous caller. It
 * does not check which page sent the request: `requireOwnPage` does.
 */
export function createRequestCaller({ context: auth }: Auth): (c: Context) => Awaitable<RequestCaller | null> {
  return (c) => {
    const claims = verifiedClaims(auth, c.req.raw.headers);
    return claims instanceof Promise ? claims.then(callerOrNobody) : callerOrNobody(claims);
  };
}

function callerOrNobody(claims: AccessTokenClaims | null): RequestCaller | null {
  return claims && toCaller(claims);
}

/** Converts the claims of a valid JWT to its caller. */
export function toCaller({ sub, tenantId, role, fva }: AccessTokenClaims): RequestCaller {
  return { userId: sub, tenantId, role, secondFactorAt: fva === undefined ? null : new Date(fva * 1000) };
}
