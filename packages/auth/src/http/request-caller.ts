import type { Context } from 'hono';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { Awaitable } from '../access-token/verify-access-token.ts';
import type { Auth } from '../create-auth.ts';
import { verifiedClaims } from '../session/get-session.ts';

/** Whom a request comes from, as far as its JWT tells. */
export interface RequestCaller {
  readonly userId: string;
  readonly tenantId: string | null;
  readonly role: string;
  /** When the session last gave a second factor. */
  readonly secondFactorAt: Date | null;
}

/**
 * Builds what tells whom a request comes from, judged by the JWT alone; null for an anonymous caller. It proves nothing of
 * the page that sent it: that is for `requireOwnPage`.
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

/** Returns whom the claims of a good JWT speak of. */
export function toCaller({ sub, tenantId, role, fva }: AccessTokenClaims): RequestCaller {
  return { userId: sub, tenantId, role, secondFactorAt: fva === undefined ? null : new Date(fva * 1000) };
}
