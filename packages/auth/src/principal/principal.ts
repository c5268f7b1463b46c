import { CodedError, unauthenticated } from '@x/errors';
import type { JsonObject } from '@x/store';
import type { AccessSubject } from '../token/claims.ts';
import type { NoFields, UserFields } from '../user/fields.ts';
import type { User } from '../user/user.ts';

/** Who a request is from, as its credential says. */
export interface Principal<Fields extends UserFields = NoFields> extends AccessSubject {
  /** The name of the credential: `cookie` or `bearer` for the JWT of a session, or that of one of the app's own. */
  readonly credential: string;
  /** The session that the credential is of; absent if it is of none, as an API key. */
  readonly session?: CurrentSession<Fields>;
}

/** The session that a request's valid JWT belongs to. */
export interface CurrentSession<Fields extends UserFields = NoFields> {
  readonly id: string;
  readonly user: User<Fields>;
  /** When the JWT expires. */
  readonly expiresAt: Date;
  /** The result of the app's `claims(user)`. */
  readonly claims: JsonObject;
  /** When a second factor was last verified in the session; null if none was. */
  readonly secondFactorAt: Date | null;
}

/** Returns whom the session of a page or route is of, as `entities.as` takes callers. */
export function callerOf<Fields extends UserFields>({
  id,
  user,
  secondFactorAt,
}: CurrentSession<Fields>): AccessSubject {
  return { userId: user.id, sessionId: id, tenantId: user.tenantId, role: user.role, secondFactorAt };
}

/** @throws CodedError `UNAUTHENTICATED` for an anonymous caller */
export function requirePrincipal<Caller extends Principal>(principal: Caller | null): Caller {
  if (principal === null) throw unauthenticated();
  return principal;
}

/**
 * Returns the session of a principal, for operations that require a session.
 *
 * @throws CodedError `UNAUTHENTICATED` for an anonymous caller; if the credential has no session, the message names the
 * credential
 */
export function requireSessionOf<Fields extends UserFields>(
  principal: Principal<Fields> | null,
): CurrentSession<Fields> {
  const { session, credential } = requirePrincipal(principal);
  if (session) return session;
  throw new CodedError('UNAUTHENTICATED', `This takes a session, which the credential ${credential} does not have.`);
}
