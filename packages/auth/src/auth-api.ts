import { fail, type Failure, type Result, succeed, toResult } from '@x/errors';
import type { Page } from '@x/store';
import { changeEmail, changePassword, type EmailChange, type PasswordChange } from './account/change.ts';
import { type Confirmed, confirm } from './account/confirm.ts';
import { type AccountDeletion, deleteAccount } from './account/delete.ts';
import { listOwnEvents, type OwnEvent } from './account/own-events.ts';
import { type Credentials, signIn } from './account/sign-in.ts';
import { signUp } from './account/sign-up.ts';
import { updateUser } from './account/update-user.ts';
import type { AuthDependencies } from './describe-auth.ts';
import { type VerificationRequest, verifyEmail } from './account/verify-email.ts';
import { resendVerification } from './email/verification.ts';
import { createMfaApi, type MfaApi } from './mfa/api.ts';
import { type ChallengedSignIn, mfaRequired } from './mfa/challenge.ts';
import type { Proof } from './mfa/proof.ts';
import { createOAuthApi, type OAuthApi } from './oauth/api.ts';
import { forgotPassword, type ForgottenPassword, type PasswordReset, resetPassword } from './password/reset.ts';
import type { PageQuery } from './request/page-query.ts';
import { type ApiRequest, toRequestContext } from './request/request-context.ts';
import { getOrRefreshSession } from './session/get-or-refresh.ts';
import type { CurrentSession, Principal } from './principal/principal.ts';
import { getSession, type RenderedSession } from './session/session.ts';
import type { SignedIn } from './session/issue.ts';
import { listSessions, type OwnSession } from './session/list.ts';
import { refreshSession } from './session/refresh.ts';
import { revokeOtherSessions, revokeSession, type SignedOut, signOut } from './session/revoke.ts';
import type { NoFields, SignUpFields, UserFields, UserUpdate } from './user/fields.ts';
import type { User } from './user/user.ts';
import { listTenants, type OwnTenants, switchTenant, type TenantSwitch, type TenantSwitched } from './tenant/tenant.ts';

/**
 * A sign-in that needs a second factor: `MFA_REQUIRED`, with the cookies that the browser presents together with the
 * code.
 */
export interface SecondFactorRequired extends Failure {
  /** The `Set-Cookie` values of the challenge. Secret. */
  readonly cookies: readonly string[];
}

/** The input of a sign-up: credentials, and the fields that the app declared. */
export type SignUpRequest<Fields extends UserFields = NoFields> = Credentials & SignUpFields<Fields>;

/**
 * The auth operations for server code. The same rules apply as on the routes, except CSRF. An expected failure is a
 * value with `error.code`, including `SERVICE_UNAVAILABLE` if a store is unavailable; any other fault is thrown.
 */
export interface AuthApi<Fields extends UserFields = NoFields> {
  /**
   * Creates a user and signs them in. With `emailVerification.genericSignUp`, the value is always null. Codes:
   * `VALIDATION_FAILED`, `RATE_LIMITED`, `USER_EXISTS`, `SERVICE_UNAVAILABLE`, and `FORBIDDEN` of `beforeSignUp`.
   */
  signUp(input: SignUpRequest<Fields>, request?: ApiRequest): Promise<Result<SignedIn<Fields> | null>>;
  /**
   * Signs in. Codes: `VALIDATION_FAILED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`, `MFA_REQUIRED`, `SERVICE_UNAVAILABLE`,
   * and `FORBIDDEN` of `beforeSignIn`.
   */
  signIn(input: Credentials, request?: ApiRequest): Promise<Result<SignedIn<Fields>> | SecondFactorRequired>;
  /** Ends the session that the request presents; also succeeds if it presents none. */
  signOut(request: ApiRequest): Promise<Result<SignedOut>>;
  /**
   * Returns who the request is from, by whichever credential; null for an anonymous caller. Codes: those that the app's
   * own credentials throw.
   */
  getPrincipal(request: ApiRequest): Promise<Result<Principal<Fields> | null>>;
  /** Returns the session of the request's JWT; null if it has no valid one. Reads no store. */
  getSession(request: ApiRequest): Promise<Result<CurrentSession<Fields> | null>>;
  /**
   * Returns the session of a request for a page: as its JWT says, or, once that has expired, with new tokens as
   * cookies, which must be sent with the page. Needs `session.cookie.refreshPath: '/'`. Parts of a page that call it
   * together get the same tokens. An ended session is null, with cookies that clear it. Codes: `RATE_LIMITED` after 60
   * refreshes of one session in a minute, `SERVICE_UNAVAILABLE`.
   *
   * @throws TypeError if browsers send pages no refresh token
   */
  getOrRefreshSession(request: ApiRequest): Promise<Result<RenderedSession<Fields>>>;
  /**
   * Rotates the refresh token that the request presents. Codes: `RATE_LIMITED`, `SESSION_EXPIRED`. Pass the client's
   * address, as `createApiRequest` does: calls without one share one limit.
   */
  refreshSession(request: ApiRequest): Promise<Result<SignedIn<Fields>>>;
  /** Lists the caller's active sessions, the most recently active first. Codes: `UNAUTHENTICATED`. */
  listSessions(request: ApiRequest): Promise<Result<readonly OwnSession[]>>;
  /** Ends one of the caller's sessions. Codes: `UNAUTHENTICATED`, `SESSION_NOT_FOUND`. */
  revokeSession(id: string, request: ApiRequest): Promise<Result<void>>;
  /** Ends all of the caller's sessions except the current one, and returns how many. Codes: `UNAUTHENTICATED`. */
  revokeAllSessions(request: ApiRequest): Promise<Result<{ readonly revoked: number }>>;
  /**
   * Verifies an address with a mailed token; it counts as proven only if the request has a session of the account, or
   * the input its password. Codes: `TOKEN_INVALID`, `TOKEN_EXPIRED`; `INVALID_CREDENTIALS`, `RATE_LIMITED`.
   */
  verifyEmail(input: VerificationRequest, request?: ApiRequest): Promise<Result<void>>;
  /** Sends the caller a new token, unless the address is verified. Codes: `UNAUTHENTICATED`, `RATE_LIMITED`. */
  resendVerification(request: ApiRequest): Promise<Result<void>>;
  /** Sends a token to the account that has the address. Succeeds even if there is none, and over the limit. */
  forgotPassword(input: ForgottenPassword, request?: ApiRequest): Promise<Result<void>>;
  /** Sets a password with a mailed token. Codes: `VALIDATION_FAILED`, `TOKEN_INVALID`, `TOKEN_EXPIRED`. */
  resetPassword(input: PasswordReset, request?: ApiRequest): Promise<Result<void>>;
  /**
   * Records a proof of who the caller is, which steps that change how an account is signed in to require. Like these
   * steps, it takes a request that presents the session's refresh token, too. Codes: `UNAUTHENTICATED`,
   * `SESSION_EXPIRED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`, `MFA_INVALID_CODE`, `STEP_UP_REQUIRED`.
   */
  confirm(input: Proof, request: ApiRequest): Promise<Result<Confirmed>>;
  /**
   * Changes the caller's password, or sets the first one. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`,
   * `VALIDATION_FAILED`, `RATE_LIMITED`, `INVALID_CREDENTIALS`, `STEP_UP_REQUIRED`.
   */
  changePassword(input: PasswordChange, request: ApiRequest): Promise<Result<void>>;
  /**
   * Requests another address. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`, `RATE_LIMITED`,
   * `INVALID_CREDENTIALS`, `MFA_INVALID_CODE`, `STEP_UP_REQUIRED`.
   */
  changeEmail(input: EmailChange, request: ApiRequest): Promise<Result<void>>;
  /** Deletes the caller's account. Codes: as {@link AuthApi.changeEmail}, and those of `beforeUserDelete`. */
  deleteAccount(input: AccountDeletion, request: ApiRequest): Promise<Result<SignedOut>>;
  /** Lists the caller's tenants. Codes: `UNAUTHENTICATED`; `NOT_FOUND` if the app has no tenants. */
  listTenants(request: ApiRequest): Promise<Result<OwnTenants>>;
  /**
   * Moves the caller's session to a tenant. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `VALIDATION_FAILED`,
   * `RATE_LIMITED`, `FORBIDDEN`, `NOT_FOUND`.
   */
  switchTenant(input: TenantSwitch, request: ApiRequest): Promise<Result<TenantSwitched<Fields>>>;
  /** Second factors. If the app has none, every operation is `NOT_FOUND`. */
  readonly mfa: MfaApi<Fields>;
  /**
   * Changes fields of the caller with `update: true`; absent ones stay as they are. JWTs show it after the next
   * refresh. Codes: `UNAUTHENTICATED`, `VALIDATION_FAILED`; `NOT_FOUND` if the app declares no such fields.
   */
  updateUser(input: UserUpdate<Fields>, request: ApiRequest): Promise<Result<User<Fields>>>;
  /** Sign-in by providers. */
  readonly oauth: OAuthApi;
  /** Lists the caller's own events, the newest first. Codes: `UNAUTHENTICATED`, `INVALID_QUERY`. */
  listEvents(query: PageQuery, request: ApiRequest): Promise<Result<Page<OwnEvent>>>;
}

/** Builds `auth.api`. */
export function createAuthApi(deps: AuthDependencies): AuthApi {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, deps.sessions.events.logger);
  return {
    signUp: (input, request) => run(() => signUp(deps.accounts, input, toRequestContext(request))),
    signIn: async (input, request) =>
      toSignInResult(await run(() => signIn(deps.accounts, input, toRequestContext(request)))),
    signOut: (request) => run(() => signOut(deps.sessions, toRequestContext(request))),
    getPrincipal: (request) =>
      run(async () => deps.sessions.authenticator.authenticate(toRequestContext(request).headers)),
    getSession: (request) => run(() => getSession(deps.sessions, toRequestContext(request).headers)),
    getOrRefreshSession: (request) => run(() => getOrRefreshSession(deps.sessions, toRequestContext(request))),
    refreshSession: (request) => run(() => refreshSession(deps.sessions, toRequestContext(request))),
    listSessions: (request) => run(() => listSessions(deps.sessions, toRequestContext(request))),
    revokeSession: (id, request) => run(() => revokeSession(deps.sessions, id, toRequestContext(request))),
    revokeAllSessions: (request) => run(() => revokeOtherSessions(deps.sessions, toRequestContext(request))),
    verifyEmail: (input, request) => run(() => verifyEmail(deps.accounts, input, toRequestContext(request))),
    resendVerification: (request) => run(() => resendVerification(deps.emails, toRequestContext(request))),
    forgotPassword: (input, request) => run(() => forgotPassword(deps.passwords, input, toRequestContext(request))),
    resetPassword: (input, request) => run(() => resetPassword(deps.passwords, input, toRequestContext(request))),
    confirm: (input, request) => run(() => confirm(deps.accounts, input, toRequestContext(request))),
    changePassword: (input, request) => run(() => changePassword(deps.accounts, input, toRequestContext(request))),
    changeEmail: (input, request) => run(() => changeEmail(deps.accounts, input, toRequestContext(request))),
    deleteAccount: (input, request) => run(() => deleteAccount(deps.accounts, input, toRequestContext(request))),
    listTenants: (request) => run(() => listTenants(deps.tenants, toRequestContext(request))),
    switchTenant: (input, request) => run(() => switchTenant(deps.tenants, input, toRequestContext(request))),
    updateUser: (input, request) => run(() => updateUser(deps.accounts, input, toRequestContext(request))),
    mfa: createMfaApi(deps.mfa),
    oauth: createOAuthApi(deps.oauth),
    listEvents: (query, request) => run(() => listOwnEvents(deps.accounts, query, toRequestContext(request))),
  };
}

function toSignInResult(result: Result<SignedIn | ChallengedSignIn>): Result<SignedIn> | SecondFactorRequired {
  if (!result.ok) return result;
  const { value } = result;
  return 'challengeCookies' in value ? { ...fail(mfaRequired()), cookies: value.challengeCookies } : succeed(value);
}
