import { type Result, toResult } from '@x/errors';
import type { Credentials } from './account/credentials.ts';
import { signIn } from './account/sign-in.ts';
import { signUp } from './account/sign-up.ts';
import type { AuthContext } from './auth-context.ts';
import { type ApiRequest, toRequestContext } from './request/request-context.ts';
import { type CurrentSession, getSession } from './session/get-session.ts';
import type { SignedIn } from './session/issue-tokens.ts';
import { listSessions, type OwnSession } from './session/list-sessions.ts';
import { refreshSession } from './session/refresh-session.ts';
import { revokeOtherSessions } from './session/revoke-other-sessions.ts';
import { revokeSession } from './session/revoke-session.ts';
import { type SignedOut, signOut } from './session/sign-out.ts';

/** The input of a sign-up: credentials, and the fields that the app declared. */
export interface SignUpRequest extends Credentials {
  readonly [field: string]: unknown;
}

/**
 * The auth operations for server code, by the same rules as the routes but for CSRF. An expected failure is a
 * value with `error.code`, and so is `SERVICE_UNAVAILABLE` where a store can't serve; any other fault is thrown.
 */
export interface AuthApi {
  /** Codes: `VALIDATION_FAILED`, `RATE_LIMITED`, `USER_EXISTS`, `SERVICE_UNAVAILABLE`. */
  signUp(input: SignUpRequest, request?: ApiRequest): Promise<Result<SignedIn>>;
  /** Codes: `VALIDATION_FAILED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`, `SERVICE_UNAVAILABLE`. */
  signIn(input: Credentials, request?: ApiRequest): Promise<Result<SignedIn>>;
  /** Ends the session that the request presents; succeeds where it presents none. */
  signOut(request: ApiRequest): Promise<Result<SignedOut>>;
  /** Null where the request presents no good JWT. Reads no store. */
  getSession(request: ApiRequest): Promise<Result<CurrentSession | null>>;
  /**
   * Rotates the refresh token that the request presents. Codes: `RATE_LIMITED`, `SESSION_EXPIRED`. Name the client's
   * address, as `createApiRequest` does: calls without one share one limit.
   */
  refreshSession(request: ApiRequest): Promise<Result<SignedIn>>;
  /** Lists the caller's active sessions, the last active first. Codes: `UNAUTHENTICATED`. */
  listSessions(request: ApiRequest): Promise<Result<readonly OwnSession[]>>;
  /** Ends one of the caller's sessions. Codes: `UNAUTHENTICATED`, `SESSION_NOT_FOUND`. */
  revokeSession(id: string, request: ApiRequest): Promise<Result<void>>;
  /** Ends all of the caller's sessions but the one that asks, and says how many. Codes: `UNAUTHENTICATED`. */
  revokeAllSessions(request: ApiRequest): Promise<Result<{ readonly revoked: number }>>;
}

/** Builds `auth.api`. */
export function createAuthApi(auth: AuthContext): AuthApi {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, auth.logger);
  return {
    signUp: (input, request) => run(() => signUp(auth, input, toRequestContext(request))),
    signIn: (input, request) => run(() => signIn(auth, input, toRequestContext(request))),
    signOut: (request) => run(() => signOut(auth, toRequestContext(request))),
    getSession: (request) => run(() => getSession(auth, toRequestContext(request).headers)),
    refreshSession: (request) => run(() => refreshSession(auth, toRequestContext(request))),
    listSessions: (request) => run(() => listSessions(auth, toRequestContext(request))),
    revokeSession: (id, request) => run(() => revokeSession(auth, id, toRequestContext(request))),
    revokeAllSessions: (request) => run(() => revokeOtherSessions(auth, toRequestContext(request))),
  };
}
