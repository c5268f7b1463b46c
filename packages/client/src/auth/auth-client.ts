import type {
  AccountDeletion,
  Credentials,
  CurrentSession,
  EmailChange,
  ForgottenPassword,
  OwnEvent,
  OwnSession,
  PasswordChange,
  PasswordReset,
  SignUpRequest,
  VerificationRequest,
} from '@x/auth';
import { type ClientResult, succeed } from '../request/client-result.ts';
import type { OnWire } from '../request/on-wire.ts';
import type { Page, PageOptions } from '../request/pages.ts';
import type { RequestOptions } from '../request/send.ts';
import type { NewSession } from '../session/known-session.ts';
import type { SessionKeeper } from '../session/session-keeper.ts';

/** What every call takes last. */
export type CallOptions = Pick<RequestOptions, 'signal'>;

/** The answer of a step that has nothing to show. */
export interface Done {
  readonly ok: true;
}

/** The auth routes. What each answers beside a failure of the transport is on the routes of `@x/auth`. */
export interface AuthClient {
  /** Makes an account and signs in to it, in every tab. */
  signUp(input: SignUpRequest, options?: CallOptions): Promise<ClientResult<NewSession>>;
  /** Signs in, in every tab. `MFA_REQUIRED`: a second factor is to follow. */
  signIn(input: Credentials, options?: CallOptions): Promise<ClientResult<NewSession>>;
  /** Signs out, in every tab. A failure leaves everybody signed in. */
  signOut(options?: CallOptions): Promise<ClientResult<Done>>;
  /** Returns the session, which is refreshed where its JWT is over; null for nobody. */
  getSession(options?: CallOptions): Promise<ClientResult<OnWire<CurrentSession> | null>>;
  /** Refreshes now, so that the state shows the user as stored: after `verifyEmail`, for example. */
  refresh(): Promise<ClientResult<NewSession>>;
  readonly sessions: {
    /** Lists the devices that are signed in, the last active first. */
    list(options?: CallOptions): Promise<ClientResult<readonly OnWire<OwnSession>[]>>;
    revoke(id: string, options?: CallOptions): Promise<ClientResult<Done>>;
    /** Signs all other devices out. */
    revokeOthers(options?: CallOptions): Promise<ClientResult<Done & { readonly revoked: number }>>;
  };
  verifyEmail(input: VerificationRequest, options?: CallOptions): Promise<ClientResult<Done>>;
  resendVerification(options?: CallOptions): Promise<ClientResult<Done>>;
  forgotPassword(input: ForgottenPassword, options?: CallOptions): Promise<ClientResult<Done>>;
  resetPassword(input: PasswordReset, options?: CallOptions): Promise<ClientResult<Done>>;
  changePassword(input: PasswordChange, options?: CallOptions): Promise<ClientResult<Done>>;
  changeEmail(input: EmailChange, options?: CallOptions): Promise<ClientResult<Done>>;
  /** Deletes the account and signs out, in every tab. */
  deleteAccount(input: AccountDeletion, options?: CallOptions): Promise<ClientResult<Done>>;
  /** Returns a page of the user's own security history, the newest first; `pages` visits all of them. */
  readonly events: (query?: PageOptions, options?: CallOptions) => Promise<ClientResult<Page<OnWire<OwnEvent>>>>;
}

/** Creates the calls of the auth routes. */
export function createAuthClient(keeper: SessionKeeper): AuthClient {
  const request = <T>(path: string, options?: RequestOptions): Promise<ClientResult<T>> =>
    keeper.request(base + path, options) as Promise<ClientResult<T>>;
  const post =
    (path: string) =>
    (body: object, options?: CallOptions): Promise<ClientResult<Done>> =>
      request(path, { ...options, method: 'POST', body });
  const start =
    (path: string) =>
    (body: object, options?: CallOptions): Promise<ClientResult<NewSession>> =>
      keeper.start(base + path, { ...options, method: 'POST', body });
  const getSession = (options?: CallOptions): Promise<ClientResult<{ session: OnWire<CurrentSession> | null }>> =>
    request('/session', options);

  return {
    signUp: start('/signup'),
    signIn: start('/signin'),
    signOut: (options) => keeper.end(`${base}/signout`, { ...options, method: 'POST' }) as Promise<ClientResult<Done>>,
    async getSession(options) {
      let answer = await getSession(options);
      // This route calls a JWT that is over nobody's, where others refuse it.
      if (answer.ok && !answer.data.session && keeper.getSnapshot().user) {
        const refreshed = await keeper.refresh();
        if (!refreshed.ok) return refreshed;
        answer = await getSession(options);
      }
      return answer.ok ? succeed(answer.data.session) : answer;
    },
    refresh: () => keeper.refresh(),
    sessions: {
      async list(options) {
        const answer = await request<{ sessions: readonly OnWire<OwnSession>[] }>('/sessions', options);
        return answer.ok ? succeed(answer.data.sessions) : answer;
      },
      revoke: (id, options) => request(`/sessions/${encodeURIComponent(id)}`, { ...options, method: 'DELETE' }),
      revokeOthers: (options) => request('/sessions', { ...options, method: 'DELETE' }),
    },
    verifyEmail: post('/verify-email'),
    resendVerification: (options) => post('/resend-verification')({}, options),
    forgotPassword: post('/forgot-password'),
    resetPassword: post('/reset-password'),
    changePassword: post('/change-password'),
    changeEmail: post('/change-email'),
    async deleteAccount(body, options) {
      const answer = await request<Done>('/account', { ...options, method: 'DELETE', body });
      if (answer.ok) await keeper.forget();
      return answer;
    },
    events: (query, options) => request('/events', { ...options, ...(query && { query }) }),
  };
}

const base = '/api/auth';
