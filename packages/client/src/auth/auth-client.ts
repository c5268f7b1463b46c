import type {
  AccountDeletion,
  Credentials,
  CurrentSession,
  EmailChange,
  FlowRequest,
  ForgottenPassword,
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
  VerificationRequest,
} from '@x/auth';
import { type ClientResult, succeed } from '../request/client-result.ts';
import type { OnWire } from '../request/on-wire.ts';
import type { Page, PageOptions } from '../request/pages.ts';
import type { NewSession } from '../session/known-session.ts';
import type { SessionKeeper } from '../session/session-keeper.ts';
import { base, type Call, type CallOptions, createCalls, type Done, type InputCall } from './calls.ts';
import { createMfaClient, type MfaClient } from './mfa-client.ts';

/** The auth routes. What each answers beside a failure of the transport is on the routes of `@x/auth`. */
export interface AuthClient {
  /** Makes an account and signs in to it, in every tab. Null where the server does neither before the address is verified. */
  readonly signUp: InputCall<SignUpRequest, NewSession | null>;
  /** Signs in, in every tab. `MFA_REQUIRED`: `mfa.challenge` is to follow. */
  readonly signIn: InputCall<Credentials, NewSession>;
  /** Signs out, in every tab. A failure leaves everybody signed in. */
  readonly signOut: Call<Done>;
  /** Returns the session, which is refreshed where its JWT is over; null for nobody. */
  readonly getSession: Call<OnWire<CurrentSession> | null>;
  /** Refreshes now, so that the state shows the user as stored: after `verifyEmail`, for example. */
  readonly refresh: () => Promise<ClientResult<NewSession>>;
  readonly sessions: {
    /** Lists the devices that are signed in, the last active first. */
    readonly list: Call<readonly OnWire<OwnSession>[]>;
    /** Signs a device out, by its id. */
    readonly revoke: InputCall<string, Done>;
    /** Signs all other devices out. */
    readonly revokeOthers: Call<Done & { readonly revoked: number }>;
  };
  readonly verifyEmail: InputCall<VerificationRequest, Done>;
  readonly resendVerification: Call<Done>;
  readonly forgotPassword: InputCall<ForgottenPassword, Done>;
  readonly resetPassword: InputCall<PasswordReset, Done>;
  readonly changePassword: InputCall<PasswordChange, Done>;
  readonly changeEmail: InputCall<EmailChange, Done>;
  /** Deletes the account and signs out, in every tab. */
  readonly deleteAccount: InputCall<AccountDeletion, Done>;
  readonly mfa: MfaClient;
  /** Lists the providers that sign users in: at `url`, which a page navigates to. */
  readonly providers: Call<readonly PublicProvider[]>;
  readonly oauthAccounts: {
    /** Lists the identities at providers that sign the user in. */
    readonly list: Call<readonly OwnOAuthAccount[]>;
    /** Begins to link an identity: the page has to navigate to `url`. */
    readonly link: (
      provider: string,
      input?: FlowRequest,
      options?: CallOptions,
    ) => Promise<ClientResult<Pick<StartedFlow, 'url'>>>;
    /** `LAST_SIGN_IN_METHOD` where nothing else would sign the user in. */
    readonly unlink: InputCall<string, Done>;
  };
  readonly tenants: {
    readonly list: Call<OwnTenants>;
    /** Moves the session to another tenant, in every tab. */
    readonly switch: InputCall<TenantSwitch, OnWire<Omit<TenantSwitched, 'cookies'>>>;
  };
  /** Returns a page of the user's own security history, the newest first; `pages` visits all of them. */
  readonly events: (query?: PageOptions, options?: CallOptions) => Promise<ClientResult<Page<OnWire<OwnEvent>>>>;
}

/** Creates the calls of the auth routes. */
export function createAuthClient(keeper: SessionKeeper): AuthClient {
  const calls = createCalls(keeper);
  const { request, get, step, post, start, renew } = calls;
  const signUp = start<SignUpRequest>('/signup');
  const currentSession = get<{ readonly session: OnWire<CurrentSession> | null }>('/session');
  /** A GET of a list that is a member of its answer. */
  const list =
    <T>(path: string, member: string): Call<readonly T[]> =>
    async (options) => {
      const answer = await request<Readonly<Record<string, readonly T[]>>>(path, options);
      return answer.ok ? succeed(answer.data[member] ?? []) : answer;
    };

  return {
    async signUp(input, options) {
      const answer = await signUp(input, options);
      return answer.ok && !answer.data.user ? succeed(null) : answer;
    },
    signIn: start('/signin'),
    signOut: (options) => keeper.end(`${base}/signout`, { ...options, method: 'POST' }) as Promise<ClientResult<Done>>,
    async getSession(options) {
      let answer = await currentSession(options);
      // This route calls a JWT that is over nobody's, where others refuse it.
      if (answer.ok && !answer.data.session && keeper.getSnapshot().user) {
        const refreshed = await keeper.refresh();
        if (!refreshed.ok) return refreshed;
        answer = await currentSession(options);
      }
      return answer.ok ? succeed(answer.data.session) : answer;
    },
    refresh: () => keeper.refresh(),
    sessions: {
      list: list('/sessions', 'sessions'),
      revoke: (id, options) => request(`/sessions/${encodeURIComponent(id)}`, { ...options, method: 'DELETE' }),
      revokeOthers: (options) => request('/sessions', { ...options, method: 'DELETE' }),
    },
    verifyEmail: post('/verify-email'),
    resendVerification: step('/resend-verification'),
    forgotPassword: post('/forgot-password'),
    resetPassword: post('/reset-password'),
    changePassword: post('/change-password'),
    changeEmail: post('/change-email'),
    async deleteAccount(body, options) {
      const answer = await request<Done>('/account', { ...options, method: 'DELETE', body });
      if (answer.ok) await keeper.forget();
      return answer;
    },
    mfa: createMfaClient(calls),
    providers: list('/providers', 'providers'),
    oauthAccounts: {
      list: list('/oauth-accounts', 'accounts'),
      link: (provider, body = {}, options) =>
        post<FlowRequest, never>(`/oauth/${encodeURIComponent(provider)}/link`)(body, options),
      unlink: (provider, options) =>
        request(`/oauth-accounts/${encodeURIComponent(provider)}`, { ...options, method: 'DELETE' }),
    },
    tenants: { list: get('/tenants'), switch: renew('/switch-tenant') },
    events: (query = {}, options) => request('/events', { ...options, query }),
  };
}
