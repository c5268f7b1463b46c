import { type Awaitable, CodedError } from '@x/errors';
import { createCsrfPolicy, type CsrfEvidence, type CsrfPolicy, sendsAppCookie } from '@x/http/csrf';
import type { Auth } from './create-auth.ts';
import { type Principal, requirePrincipal } from './principal/principal.ts';
import type { UserFields } from './user/fields.ts';

// Checks that the guards for Hono and those for any request share.

/** RFC 9110 section 9.2.1. */
export const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** How a guard decides which writes are those of a page of the app. */
export interface GuardOptions {
  /**
   * What a write must have besides the origin of a page of the app: the `header` `X-APP-Request: 1`, or, with
   * `fetch-metadata`, either that or `Sec-Fetch-Site: same-origin`, so that forms and a plain `fetch` of the page may
   * write. Browsers send it over https and on localhost. Default `header`.
   */
  readonly csrf?: 'header' | 'fetch-metadata';
}

/** Returns the policy for the pages of an app. */
export function csrfPolicyOf(
  { http: { baseUrl, trustedOrigins, production } }: Auth,
  evidence?: CsrfEvidence,
): CsrfPolicy {
  return createCsrfPolicy({ baseUrl, trustedOrigins, production, evidence });
}

/** Returns who a request is from; null for an anonymous caller. */
export async function principalOf<Fields extends UserFields>(
  { dependencies: { sessions } }: Auth<Fields>,
  headers: Headers,
): Promise<Principal<Fields> | null> {
  return sessions.authenticator.authenticate(headers) as Awaitable<Principal<Fields> | null>;
}

/** Says whether a request signs in by nothing that browsers send on their own, such as a bearer token. */
export async function isCsrfExempt({ dependencies: { sessions } }: Auth, headers: Headers): Promise<boolean> {
  if (sendsAppCookie(headers, sessions.config.session.cookie.prefix)) return false;
  const principal = await sessions.authenticator.authenticate(headers);
  return principal !== null && sessions.authenticator.isCsrfExempt(principal);
}

/** @throws CodedError `UNAUTHENTICATED`, `FORBIDDEN` */
export function requireRoleOf<Caller extends Principal>(
  principal: Caller | null,
  roles: string | readonly string[],
): Caller {
  const required = requirePrincipal(principal);
  if (![roles].flat().includes(required.role)) throw new CodedError('FORBIDDEN', 'Your role does not allow this.');
  return required;
}
