import { renderJson } from '@x/http';
import type { Context, Handler } from 'hono';
import type { AccessTokenClaims } from '../access-token/access-token-claims.ts';
import type { AuthContext } from '../auth-context.ts';
import { toCurrentSession, verifiedClaims } from '../session/get-session.ts';

/** `GET /session` */
export function getSessionRoute(auth: AuthContext): Handler {
  return (c) => {
    const claims = verifiedClaims(auth, c.req.raw.headers);
    return claims instanceof Promise ? claims.then((verified) => render(c, verified)) : render(c, claims);
  };
}

function render(c: Context, claims: AccessTokenClaims | null): Response {
  return renderJson(c, claims === null ? signedOut : bodyFor(claims));
}

const signedOut = JSON.stringify({ session: null });

/** The verifier returns the same frozen claims for the same token, so the body is serialized only once. */
const bodies = new WeakMap<AccessTokenClaims, string>();

function bodyFor(claims: AccessTokenClaims): string {
  const known = bodies.get(claims);
  if (known !== undefined) return known;
  const body = JSON.stringify({ session: toCurrentSession(claims) });
  bodies.set(claims, body);
  return body;
}
