import type { ErrorCode } from '@x/errors';
import type { z } from 'zod';

/** An auth route as plain data, from which the server and its OpenAPI description are built. */
export interface AuthRoute {
  /** Stable and unique. */
  readonly name: AuthRouteName;
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/auth`; parameters are written `:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * What proves that a page of the app sent the request. `none`: nothing, it only reads; `page`: the `Origin` and
   * `X-APP-Request` headers; `page-or-bearer`: those, or a bearer token without one of our cookies.
   */
  readonly proof: 'none' | 'page' | 'page-or-bearer';
  /**
   * Who may call: anyone; anyone, with a session taken into account (`visitor`); a signed-in user; or whoever holds the
   * cookie of a session or of a challenge.
   */
  readonly caller: 'anyone' | 'visitor' | 'user' | 'refresh-token' | 'challenge';
  /** Parameters of the path, by name. */
  readonly parameters?: Readonly<Record<string, z.ZodType>>;
  /** Parameters of the query, by name; none is required. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** The body that is parsed; a route without one takes nothing, or `{}`. */
  readonly input?: { readonly schema: z.ZodType; readonly isOptional?: boolean };
  readonly response: AuthResponse;
  /** The errors it may respond with, besides those that follow from the rest of the route. */
  readonly errors?: readonly ErrorCode[];
}

/** The successful answer of a route. */
export interface AuthResponse {
  readonly status: 200 | 201 | 302;
  readonly description: string;
  /** The JSON body as it is on the wire; a redirect has none. */
  readonly schema?: z.ZodType;
  /** The cookies that it sets or clears. */
  readonly cookies?: readonly string[];
  /** Whether it sends an `ETag` and answers a matching `If-None-Match` with 304. */
  readonly isConditional?: boolean;
}

/** The names of all routes, including those of features that an app may not have. */
export type AuthRouteName =
  | 'signUp'
  | 'signIn'
  | 'signOut'
  | 'getSession'
  | 'refreshSession'
  | 'listSessions'
  | 'revokeSession'
  | 'revokeOtherSessions'
  | 'getJwks'
  | 'getAccessSet'
  | 'changePassword'
  | 'deleteAccount'
  | 'listEvents'
  | 'listProviders'
  | 'startOAuth'
  | 'startOAuthLink'
  | 'completeOAuth'
  | 'listOAuthAccounts'
  | 'unlinkOAuthAccount'
  | 'verifyEmail'
  | 'resendVerification'
  | 'changeEmail'
  | 'forgotPassword'
  | 'resetPassword'
  | 'setUpMfa'
  | 'verifyMfaSetup'
  | 'answerMfaChallenge'
  | 'stepUp'
  | 'disableMfa'
  | 'replaceBackupCodes'
  | 'getMfaStatus'
  | 'listTenants'
  | 'switchTenant';
