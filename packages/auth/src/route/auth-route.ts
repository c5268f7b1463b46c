import type { ErrorCode } from '@x/errors';
import type { z } from 'zod';

/** A route of auth as plain data: the server is built from it, and so is its OpenAPI description. */
export interface AuthRoute {
  /** Stable, and no other route has it. */
  readonly name: AuthRouteName;
  readonly method: 'get' | 'post' | 'delete';
  /** Below `/api/auth`; parameters are written `:id`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /**
   * What shows that a page of ours sent the request: nothing does where it only reads; `page`: its `Origin` and
   * `X-APP-Request`; `page-or-bearer`: those, or a bearer token without a cookie of ours.
   */
  readonly proof: 'none' | 'page' | 'page-or-bearer';
  /**
   * Who may call: anyone; anyone, and a session counts (`visitor`); a user who is signed in; or whoever holds the cookie of a
   * session or of a challenge.
   */
  readonly caller: 'anyone' | 'visitor' | 'user' | 'refresh-token' | 'challenge';
  /** Parameters of the path, by name. */
  readonly parameters?: Readonly<Record<string, z.ZodType>>;
  /** Parameters of the query, by name; none is required. */
  readonly query?: Readonly<Record<string, z.ZodType>>;
  /** The body that is parsed; a route without one takes nothing, or `{}`. */
  readonly input?: { readonly schema: z.ZodType; readonly isOptional?: boolean };
  readonly answer: AuthAnswer;
  /** What it refuses with, beside what follows from the rest of the route. */
  readonly errors?: readonly ErrorCode[];
}

/** What a route answers with when all is well. */
export interface AuthAnswer {
  readonly status: 200 | 201 | 302;
  readonly description: string;
  /** The JSON body as it is on the wire; a redirect has none. */
  readonly schema?: z.ZodType;
  /** The cookies that it sets, or takes from the browser. */
  readonly cookies?: readonly string[];
  /** Whether it has an `ETag`, and `If-None-Match` is answered with 304. */
  readonly isConditional?: boolean;
}

/** The names of all routes, those of features that an app does without included. */
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
