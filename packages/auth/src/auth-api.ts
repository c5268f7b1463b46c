import { type Result, toResult } from '@x/errors';
import type { Credentials } from './account/credentials.ts';
import { signIn } from './account/sign-in.ts';
import { signUp } from './account/sign-up.ts';
import type { AuthContext } from './auth-context.ts';
import { type ApiRequest, toRequestContext } from './request/request-context.ts';
import { type CurrentSession, getSession } from './session/get-session.ts';
import type { SignedIn } from './session/issue-tokens.ts';
import { type SignedOut, signOut } from './session/sign-out.ts';

/** The input of a sign-up: credentials, and the fields that the app declared. */
export interface SignUpRequest extends Credentials {
  readonly [field: string]: unknown;
}

/**
 * The auth operations for server code, by the same rules as the routes but for CSRF. An expected failure is a
 * value with `error.code`; a fault of the server is thrown.
 */
export interface AuthApi {
  /** Codes: `VALIDATION_FAILED`, `USER_EXISTS`, `SERVICE_UNAVAILABLE`. */
  signUp(input: SignUpRequest, request?: ApiRequest): Promise<Result<SignedIn>>;
  /** Codes: `VALIDATION_FAILED`, `INVALID_CREDENTIALS`, `SERVICE_UNAVAILABLE`. */
  signIn(input: Credentials, request?: ApiRequest): Promise<Result<SignedIn>>;
  /** Ends the session that the request presents; succeeds where it presents none. */
  signOut(request: ApiRequest): Promise<Result<SignedOut>>;
  /** Null where the request presents no good JWT. Reads no store. */
  getSession(request: ApiRequest): Promise<Result<CurrentSession | null>>;
}

/** Builds `auth.api`. */
export function createAuthApi(auth: AuthContext): AuthApi {
  return {
    signUp: (input, request) => toResult(() => signUp(auth, input, toRequestContext(request))),
    signIn: (input, request) => toResult(() => signIn(auth, input, toRequestContext(request))),
    signOut: (request) => toResult(() => signOut(auth, toRequestContext(request))),
    getSession: (request) => toResult(() => getSession(auth, toRequestContext(request).headers)),
  };
}
