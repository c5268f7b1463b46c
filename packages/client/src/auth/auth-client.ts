import type {
  AccountDeletion,
  ChallengePassed,
  CodeInput,
  Confirmed,
  Credentials,
  CurrentSession,
  EmailChange,
  FlowRequest,
  ForgottenPassword,
  MfaSetup,
  MfaStatus,
  NoFields,
  NewBackupCodes,
  Proof,
  OwnEvent,
  OwnOAuthAccount,
  OwnSession,
  OwnTenants,
  PasswordChange,
  PasswordReset,
  PublicProvider,
  SignUpRequest,
  StartedFlow,
  TenantSwitch,
  TenantSwitched,
  User,
  UserFields,
  UserUpdate,
  VerificationRequest,
} from '@x/auth';
import { createActions } from '../action/actions.ts';
import {
  type AnyCall,
  type Call,
  type CallOptions,
  type Done,
  expectObject,
  type InputCall,
  type Request,
  toCall,
  type Verb,
} from '../request/call.ts';
import { type ClientResult, type Serialized, succeed } from '../request/send.ts';
import type { Page, PageOptions } from '../request/pages.ts';
import type { NewSession } from '../session/session-state.ts';
import type { SessionManager } from '../session/session-manager.ts';

/**
 * The auth routes. The routes of `@x/auth` document the codes that each may respond with.
 *
 * A member with a path as its comment has no code of its own: {@link createAuthClient} makes it from its name.
 */
export interface AuthClient<Fields extends UserFields = NoFields> {
  /** Creates an account and signs in, in every tab. Null if the address must be verified before a sign-in. */
  readonly signUp: InputCall<SignUpRequest<Fields>, NewSession<Fields> | null>;
  /** Signs in, in every tab. After `MFA_REQUIRED`, call `mfa.challenge`. */
  readonly signIn: InputCall<Credentials, NewSession<Fields>>;
  /** Signs out, in every tab. If it fails, every tab stays signed in. */
  readonly signOut: Call<Done>;
  /** Returns the session, refreshed if its JWT has expired; null if no user is signed in. */
  readonly getSession: Call<Serialized<Omit<CurrentSession<Fields>, 'secondFactorAt'>> | null>;
  /** Refreshes now, so that the session shows the user as stored: after `verifyEmail`, for example. */
  readonly refresh: () => Promise<ClientResult<NewSession<Fields>>>;
  readonly sessions: {
    /** Lists the devices that are signed in, the most recently active first. */
    readonly list: Call<readonly Serialized<OwnSession>[]>;
    /** Signs out a device by its session id. */
    readonly revoke: InputCall<string, Done>;
    /** Signs out all other devices. */
    readonly revokeOthers: Call<Done & { readonly revoked: number }>;
  };
  /** `POST /api/auth/verify-email` */
  readonly verifyEmail: InputCall<VerificationRequest, Done>;
  /** `POST /api/auth/resend-verification` */
  readonly resendVerification: Call<Done>;
  /** `POST /api/auth/forgot-password` */
  readonly forgotPassword: InputCall<ForgottenPassword, Done>;
  /** `POST /api/auth/reset-password` */
  readonly resetPassword: InputCall<PasswordReset, Done>;
  /** `POST /api/auth/change-password` */
  readonly changePassword: InputCall<PasswordChange, Done>;
  /** `POST /api/auth/change-email` */
  readonly changeEmail: InputCall<EmailChange, Done>;
  /**
   * Changes fields with `update: true`, and refreshes, so that the session shows them in every tab. Absent ones stay as
   * they are. If `user.incomplete` names fields, ask for them.
   */
  readonly updateUser: InputCall<UserUpdate<Fields>, { readonly user: Serialized<User<Fields>> }>;
  /** Deletes the account and signs out, in every tab. */
  readonly deleteAccount: InputCall<AccountDeletion, Done>;
  /**
   * `POST /api/auth/confirm`: proves again who the user is, for calls that were refused with `STEP_UP_REQUIRED` and
   * `meta.methods`. In React, `useConfirmation` calls it.
   */
  readonly confirm: InputCall<Proof, Done & Serialized<Confirmed>>;
  readonly mfa: MfaClient<Fields>;
  /** Lists the providers; a page navigates to `url` to sign in with one. */
  readonly providers: Call<readonly PublicProvider[]>;
  readonly oauthAccounts: {
    /** Lists the user's linked provider identities. */
    readonly list: Call<readonly OwnOAuthAccount[]>;
    /** Starts linking an identity: the page must navigate to `url`. */
    readonly link: (
      provider: string,
      input?: FlowRequest,
      options?: CallOptions,
    ) => Promise<ClientResult<Pick<StartedFlow, 'url'>>>;
    /** Unlinks the identities at a provider. `LAST_SIGN_IN_METHOD` if the user could no longer sign in. */
    readonly unlink: InputCall<string, Done>;
  };
  readonly tenants: {
    readonly list: Call<OwnTenants>;
    /** Moves the session to another tenant, in every tab. */
    readonly switch: InputCall<TenantSwitch, Serialized<Omit<TenantSwitched<Fields>, 'cookies'>>>;
  };
  /** Returns a page of the user's own security history, the newest first; `pages` iterates over all pages. */
  readonly events: (query?: PageOptions, options?: CallOptions) => Promise<ClientResult<Page<Serialized<OwnEvent>>>>;
}

/**
 * Creates the calls of the auth routes. Members that are not listed here are made on first use, and send a `POST` to
 * the path of their name.
 *
 * @param base - the prefix of the paths of the routes
 */
export function createAuthClient(session: SessionManager, base: string): AuthClient {
  const { start, refresh } = session;
  /** All routes respond with objects. */
  const request = expectObject(session.request);
  /** Sends requests that only the current user may make, and those that change the session. */
  const renew: Request = (path, options) => request(path, options, start);
  const call = (method: Verb, path: string, send: Request = request): AnyCall => toCall(send, method, base + path);
  /** Unwraps a response that is an object with a single member. */
  const unwrap: Request = async (path, options) => {
    const result = await request(path, options);
    return result.ok ? succeed(Object.values(result.data as object)[0]) : result;
  };
  const currentSession = call('get', '/session', unwrap);
  const revoke = call('delete', '/sessions');
  return createActions(request, base, {
    signUp: call('post', '/signup', start),
    signIn: call('post', '/signin', start),
    signOut: call('post', '/signout', session.end),
    async getSession(...given: Parameters<typeof currentSession>) {
      const result: ClientResult<unknown> = await currentSession(...given);
      // For an expired JWT, this route responds as to an anonymous caller, where others refuse it.
      const refreshed = result.ok && !result.data && session.getSnapshot().user && (await refresh());
      if (!refreshed) return result;
      return refreshed.ok ? currentSession(...given) : refreshed;
    },
    refresh,
    sessions: { list: call('get', '/sessions', unwrap), revoke, revokeOthers: revoke },
    updateUser: call('patch', '/user', async (path, options) => {
      const result = await request(path, options);
      if (result.ok && session.getSnapshot().user) await refresh();
      return result;
    }),
    deleteAccount: call('delete', '/account', (path, options) => request(path, options, session.end)),
    mfa: createActions(request, `${base}/mfa`, {
      challenge: call('post', '/mfa/challenge', start),
      stepUp: call('post', '/mfa/step-up', renew),
      status: call('get', '/mfa/status'),
    }),
    providers: call('get', '/providers', unwrap),
    oauthAccounts: createActions(request, `${base}/oauth`, {
      list: call('get', '/oauth-accounts', unwrap),
      unlink: call('delete', '/oauth-accounts'),
    }),
    tenants: { list: call('get', '/tenants'), switch: call('post', '/switch-tenant', renew) },
    events: call('get', '/events'),
  }) as AuthClient;
}

/** The routes of the second factor; `NOT_FOUND` if the server does not have it. */
export interface MfaClient<Fields extends UserFields = NoFields> {
  /** `POST /api/auth/mfa/setup`: returns a secret for an authenticator app; `verifySetup` turns it on. */
  readonly setup: Call<MfaSetup>;
  /** `POST /api/auth/mfa/verify-setup` */
  readonly verifySetup: InputCall<CodeInput, NewBackupCodes>;
  /** Completes a sign-in after `MFA_REQUIRED`, in every tab. `SESSION_EXPIRED`: too late, or too many attempts. */
  readonly challenge: InputCall<CodeInput, Serialized<Omit<ChallengePassed<Fields>, 'cookies'>>>;
  /** Verifies the second factor again, for requests that a rule refused with `STEP_UP_REQUIRED`. */
  readonly stepUp: InputCall<CodeInput, NewSession<Fields>>;
  /** `POST /api/auth/mfa/disable` */
  readonly disable: InputCall<CodeInput, Done>;
  /** `POST /api/auth/mfa/backup-codes`: replaces all of them. */
  readonly backupCodes: InputCall<CodeInput, NewBackupCodes>;
  readonly status: Call<MfaStatus>;
}
