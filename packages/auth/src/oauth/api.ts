import { type Result, toResult } from '@x/errors';
import { type ApiRequest, toRequestContext } from '../request/request-context.ts';
import { completeFlow, type ContinuedFlow, type EndedFlow, type FlowResponse } from './callback.ts';
import { listOAuthAccounts, type OwnOAuthAccount, unlinkOAuthAccount } from './link.ts';
import { listProviders, type OAuthDependencies, type PublicProvider } from './oauth.ts';
import { type FlowRequest, type StartedFlow, startFlow, startLink } from './start.ts';

/** `auth.api.oauth`: sign-in with providers. An unknown provider is `NOT_FOUND`. */
export interface OAuthApi {
  listProviders(): readonly PublicProvider[];
  /**
   * Starts a sign-in. Pass the client's address, which is rate-limited. Codes: `RATE_LIMITED`, `SERVICE_UNAVAILABLE`.
   */
  start(provider: string, input: FlowRequest, request: ApiRequest): Promise<Result<StartedFlow>>;
  /**
   * Starts a flow that links an identity to the caller. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`,
   * `VALIDATION_FAILED`, `STEP_UP_REQUIRED`.
   */
  startLink(provider: string, input: FlowRequest, request: ApiRequest): Promise<Result<StartedFlow>>;
  /**
   * Completes a flow. A failed flow is a success here, with the error page as its location. The callback of a link must
   * get the refresh token of the session that began it; if it is not below `/api/auth`, set
   * `session.cookie.refreshPath`. With `SameSite=Strict` cookies, respond with the page if you get one.
   */
  complete(provider: string, response: FlowResponse, request: ApiRequest): Promise<Result<EndedFlow | ContinuedFlow>>;
  /** Lists the caller's identities. Codes: `UNAUTHENTICATED`. */
  listAccounts(request: ApiRequest): Promise<Result<readonly OwnOAuthAccount[]>>;
  /**
   * Unlinks the caller's identities at a provider. Codes: `UNAUTHENTICATED`, `SESSION_EXPIRED`, `STEP_UP_REQUIRED`,
   * `LAST_SIGN_IN_METHOD`.
   */
  unlink(provider: string, request: ApiRequest): Promise<Result<void>>;
}

/** Builds `auth.api.oauth`. */
export function createOAuthApi(deps: OAuthDependencies): OAuthApi {
  const run = <T>(verb: () => Promise<T>): Promise<Result<T>> => toResult(verb, deps.events.logger);
  return {
    listProviders: () => listProviders(deps),
    start: (provider, input, request) => run(() => startFlow(deps, provider, input, toRequestContext(request))),
    startLink: (provider, input, request) => run(() => startLink(deps, provider, input, toRequestContext(request))),
    complete: (provider, response, request) =>
      run(() => completeFlow(deps, provider, response, toRequestContext(request))),
    listAccounts: (request) => run(() => listOAuthAccounts(deps, toRequestContext(request))),
    unlink: (provider, request) => run(() => unlinkOAuthAccount(deps, provider, toRequestContext(request))),
  };
}
