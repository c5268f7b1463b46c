import { CodedError, unauthenticated } from '@x/errors';
import { createCsrfPolicy, type CsrfPolicy, sendsAppCookie } from '@x/http/csrf';
import type { Auth } from './create-auth.ts';
import { type CurrentSession, verifiedClaims } from './session/session.ts';

// What the guards for Hono and those for any request have in common.

/** RFC 9110 section 9.2.1. */
export const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Returns the policy for the pages of an app. */
export function csrfPolicyOf({ http: { baseUrl, trustedOrigins, production } }: Auth): CsrfPolicy {
  return createCsrfPolicy({ baseUrl, trustedOrigins, production });
}

/** Says whether a valid bearer token is all that a request signs in by: browsers never add one on their own. */
export async function isBearer({ dependencies: { sessions } }: Auth, headers: Headers): Promise<boolean> {
  return (
    !sendsAppCookie(headers, sessions.config.session.cookie.prefix) &&
    (await verifiedClaims(sessions, headers)) !== null
  );
}

/** @throws CodedError `UNAUTHENTICATED` */
export function requireCurrent<Session>(current: Session | null): Session {
  if (current === null) throw unauthenticated();
  return current;
}

/** @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN` */
export function requireRoleOf<Session extends CurrentSession>(
  current: Session | null,
  roles: readonly string[],
): Session {
  const required = requireCurrent(current);
  if (!roles.includes(required.user.role)) throw new CodedError('FORBIDDEN', 'Your role does not allow this.');
  return required;
}
