import { CodedError } from '@x/errors';
import { readCookie } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { ProviderClient } from './client.ts';
import { OAuthFailure } from './failure.ts';
import { type VerifiedIdentity, verifyIdentity } from './identity.ts';
import { linkIdentity } from './link.ts';
import { type OAuthDependencies, type ProviderDependencies, requireProvider } from './oauth.ts';
import { withQuery } from './redirect-target.ts';
import { signInByIdentity } from './sign-in.ts';
import { clearedFlowCookies, flowCookieName, type FlowState, hashFlowId, isFlowId, openFlowState } from './state.ts';

/** The parameters of the provider's redirect; repeated or absent ones are undefined. */
export interface FlowResponse {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
}

/** The end of a flow. */
export interface EndedFlow {
  /** Where to redirect the browser. */
  readonly location: string;
  /** `Set-Cookie` values: those of the session, if one was started, and the one that clears the flow. Secret. */
  readonly cookies: readonly string[];
}

/**
 * Completes a flow: signs in the user whom the provider vouches for, or links their identity if the flow was started
 * for that. Every failure of the flow redirects to the error page, with a code and nothing that the provider wrote. If
 * a second factor is needed, it redirects to the page for that, with a challenge instead of a session.
 *
 * @throws CodedError `NOT_FOUND` for an unknown provider; `SERVICE_UNAVAILABLE`
 */
export async function completeFlow(
  deps: OAuthDependencies,
  provider: string,
  response: FlowResponse,
  request: RequestContext,
): Promise<EndedFlow> {
  const { client, states } = requireProvider(deps, provider);
  const cleared = clearedFlowCookies(deps.config, request.headers, response.state);
  try {
    const state = await claimState(deps, { client, states }, response, request);
    const { location, cookies } = await linkOrSignIn(deps, client, { response, state }, request);
    return { location, cookies: [...cleared, ...cookies] };
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    const { code, message: reason, cause } = error;
    deps.events.logger.warn({ provider, code, reason, cause: messageOf(cause) }, 'a sign-in by a provider failed');
    return { location: withQuery(deps.config.oauthErrorRedirect, { error: code }), cookies: cleared };
  }
}

/** Claims the state of the flow, which works once, before anything is requested from the provider. */
async function claimState(
  deps: OAuthDependencies,
  { client, states }: ProviderDependencies,
  response: FlowResponse,
  { headers }: RequestContext,
): Promise<FlowState> {
  // No proof of origin is needed: sending an invalid response gains nothing.
  if (response.error !== undefined) throw toFailure(response.error);
  const { id: provider } = client.provider;
  const sealed = isFlowId(response.state) ? readCookie(headers, flowCookieName(response.state)) : null;
  if (sealed === null || response.state === undefined) throw new OAuthFailure('invalid_state', 'no cookie of the flow');
  const now = deps.stores.clock.now();
  const state = openFlowState(states, sealed, { id: response.state, provider, now });
  if (state === null) throw new OAuthFailure('invalid_state', 'the cookie is not of this flow, or too old');
  if (!(await deps.stores.oneTimeIds.claim(hashFlowId(state.id), new Date(state.expiresAt)))) {
    throw new OAuthFailure('invalid_state', 'the flow was ended before');
  }
  return state;
}

/** @see RFC 6749 section 4.1.2.1 */
function toFailure(error: string): OAuthFailure {
  return error === 'access_denied'
    ? new OAuthFailure('provider_denied', 'the provider says that access was denied')
    : new OAuthFailure('provider_error', 'the provider responded with an error');
}

async function linkOrSignIn(
  deps: OAuthDependencies,
  client: ProviderClient,
  { response, state }: { readonly response: FlowResponse; readonly state: FlowState },
  request: RequestContext,
): Promise<EndedFlow> {
  const identity = await identifyUser(client, response, state);
  const location = state.redirectTo ?? deps.config.oauthSuccessRedirect;
  if (state.link !== null) {
    await linkIdentity(deps, identity, state.link, request);
    return { location, cookies: [] };
  }
  const signedIn = await signInByIdentity(deps, { identity, redirectTo: state.redirectTo }, request);
  if ('challengeCookie' in signedIn) return { location: deps.config.mfaRedirect, cookies: [signedIn.challengeCookie] };
  return { location, cookies: signedIn.cookies };
}

async function identifyUser(
  client: ProviderClient,
  { code, iss }: FlowResponse,
  { codeVerifier, nonce }: FlowState,
): Promise<VerifiedIdentity> {
  try {
    const { endpoints } = await client.getMetadata();
    // RFC 9207 section 2.4
    if (iss !== undefined && iss !== endpoints.issuer) {
      throw new OAuthFailure('invalid_state', 'the response is of another issuer');
    }
    if (code === undefined) throw new OAuthFailure('provider_error', 'the provider responded without a code');
    return verifyIdentity(client.provider, await client.identify({ code, codeVerifier, nonce }));
  } catch (error) {
    if (error instanceof OAuthFailure) throw error;
    throw new OAuthFailure('provider_error', 'the provider did not identify who signed in', error);
  }
}

/** Only the message: errors of jose and zod contain the provider's response in their fields. */
function messageOf(cause: unknown): string | undefined {
  if (cause instanceof CodedError || !(cause instanceof Error)) return undefined;
  return `${cause.name}: ${cause.message}`.slice(0, 200);
}
