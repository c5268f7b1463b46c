import type { ClientResult } from '../request/client-result.ts';
import type { RequestOptions } from '../request/send.ts';
import type { NewSession } from '../session/known-session.ts';
import type { SessionKeeper } from '../session/session-keeper.ts';

/** What every call takes last. */
export type CallOptions = Pick<RequestOptions, 'signal'>;

/** A call that has nothing to say. */
export type Call<T> = (options?: CallOptions) => Promise<ClientResult<T>>;

/** A call that sends its input. */
export type InputCall<Input, T> = (input: Input, options?: CallOptions) => Promise<ClientResult<T>>;

/** The answer of a step that has nothing to show. */
export interface Done {
  readonly ok: true;
}

/** Builds calls of routes below `/api/auth`. What each takes and answers is for whoever builds it to say. */
export interface Calls {
  readonly request: <T>(path: string, options?: RequestOptions) => Promise<ClientResult<T>>;
  readonly get: <T>(path: string) => Call<T>;
  /** A POST without a body. */
  readonly step: <T>(path: string) => Call<T>;
  readonly post: <Input extends object, T = Done>(path: string) => InputCall<Input, T>;
  /** What makes a session, whoever asks. */
  readonly start: <Input extends object, T extends NewSession = NewSession>(path: string) => InputCall<Input, T>;
  /** What gives the current user's session other cookies. */
  readonly renew: <Input extends object, T extends NewSession = NewSession>(path: string) => InputCall<Input, T>;
}

/** Binds the calls to the session that they are made in. */
export function createCalls(keeper: SessionKeeper): Calls {
  const request = (path: string, options?: RequestOptions): Promise<ClientResult<never>> =>
    keeper.request(base + path, options) as Promise<ClientResult<never>>;
  return {
    request,
    get: (path) => (options) => request(path, options),
    step: (path) => (options) => request(path, { ...options, method: 'POST' }),
    post: (path) => (body, options) => request(path, { ...options, method: 'POST', body }),
    start: (path) => (body, options) =>
      keeper.start(base + path, { ...options, method: 'POST', body }) as Promise<ClientResult<never>>,
    renew: (path) => (body, options) =>
      keeper.request(base + path, { ...options, method: 'POST', body }, keeper.start) as Promise<ClientResult<never>>,
  };
}

/** Where the auth routes are. */
export const base = '/api/auth';
