import { CodedError } from '@x/errors';
import { hashSecret } from '../crypto/hash.ts';
import { readScopedCookie } from '../request/headers.ts';
import type { RequestContext } from '../request/request-context.ts';
import { cookieName } from '../session/cookies.ts';
import { acceptRefreshToken } from '../session/require-refresh-token.ts';
import type { ProviderClient } from './client.ts';
import { OAuthFailure, SignInRefused } from './failure.ts';
import { isIssuer } from './id-token.ts';
import { type VerifiedIdentity, verifyIdentity } from './identity.ts';
import { linkIdentity } from './link.ts';
import { type OAuthDependencies, type ProviderDependencies, requireProvider } from './oauth.ts';
import { withQuery } from './redirect-target.ts';
import { signInByIdentity } from './sign-in.ts';
import { clearedFlowCookies, type FlowState, isFlowId, openFlowState, readFlowCookie } from './state.ts';

/** The parameters of the provider's redirect; repeated or absent ones are undefined. */
export interface FlowResponse {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly iss?: string | undefined;
  /** Present if the browser comes from the page of {@link ContinuedFlow}. */
  readonly continued?: string | undefined;
}

/** The end of a flow. */
export interface EndedFlow {
  /** Where to redirect the browser. */
  readonly location: string;
  /** `Set-Cookie` values: those of the session, if one was started, and the one that clears the flow. Secret. */
  readonly cookies: readonly string[];
}

/**
 * A flow that takes one more request: browsers leave cookies with `SameSite=Strict` out of a redirect by the provider,
 * but send them when a page of our own goes on to the same URL.
 */
export interface ContinuedFlow {
  /** The HTML of that page. */
  readonly page: string;
}

/**
 * Completes a flow: signs in the user whom the provider vouches for, or links their identity if the flow was started
 * for that. Every failure of the flow redirects to the error page, with a code and nothing that the provider wrote. If
 * a second factor is needed, it redirects to the page for that, with a challenge instead of a session.
 *
 * A link ends only in the browser session that began it. Otherwise, an attacker could begin one and plant its state in
 * the browser of a victim, whose identity at the provider would be linked to the attacker's account.
 *
 * @throws CodedError `NOT_FOUND` for an unknown provider; `SERVICE_UNAVAILABLE`
 * @see RFC 9700 section 4.7
 */
export async function completeFlow(
  deps: OAuthDependencies,
  provider: string,
  response: FlowResponse,
  request: RequestContext,
): Promise<EndedFlow | ContinuedFlow> {
  const { client, states } = requireProvider(deps, provider);
  const cleared = clearedFlowCookies(deps.config, request.headers, response.state);
  try {
    const state = openState(deps, { client, states }, response, request);
    if (lacksStrictCookies(deps, { response, state }, request)) return { page: continuationPage(response) };
    if (state.link !== null) await assertOwnBrowser(deps, state.link, request);
    await claimState(deps, state);
    const { location, cookies } = await linkOrSignIn(deps, client, { response, state }, request);
    return { location, cookies: [...cleared, ...cookies] };
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    const { code, message: reason, cause } = error;
    deps.events.logger.warn({ provider, code, reason, cause: messageOf(cause) }, 'a sign-in by a provider failed');
    const given = error instanceof SignInRefused && error.reason !== undefined ? { reason: error.reason } : {};
    return { location: withQuery(deps.config.oauthErrorRedirect, { error: code, ...given }), cookies: cleared };
  }
}

/** Opens the state of the flow that the provider responds to. */
function openState(
  deps: OAuthDependencies,
  { client, states }: ProviderDependencies,
  response: FlowResponse,
  { headers }: RequestContext,
): FlowState {
  // No proof of origin is needed: sending an invalid response gains nothing.
  if (response.error !== undefined) throw toFailure(response.error);
  const { id: provider } = client.provider;
  const sealed = isFlowId(response.state) ? readFlowCookie(deps.config, headers, response.state) : null;
  if (sealed === null || response.state === undefined) {
    throw new OAuthFailure(
      'invalid_state',
      'no cookie of the flow: redirectUrl must be on the host where the flow began, and over https if cookies are secure',
    );
  }
  const now = deps.stores.clock.now();
  const state = openFlowState(states, sealed, { id: response.state, provider, now });
  if (state === null) throw new OAuthFailure('invalid_state', 'the cookie is not of this flow, or too old');
  return state;
}

/** @see RFC 6749 section 4.1.2.1 */
function toFailure(error: string): OAuthFailure {
  // The second is Apple's own.
  return error === 'access_denied' || error === 'user_cancelled_authorize'
    ? new OAuthFailure('provider_denied', 'the provider says that access was denied')
    : new OAuthFailure('provider_error', 'the provider responded with an error');
}

/** Says whether the browser may have the cookies of the session that a link needs, but could not send them. */
function lacksStrictCookies(
  { config }: OAuthDependencies,
  { response, state }: Received,
  { headers }: RequestContext,
): boolean {
  return (
    state.link !== null &&
    config.session.cookie.sameSite === 'strict' &&
    response.continued === undefined &&
    readScopedCookie(headers, cookieName(config, 'ref')) === null
  );
}

/**
 * Builds the page that goes on to the same URL, once. The only text in it from elsewhere is its query, where URL
 * encoding leaves nothing that means something in HTML.
 */
function continuationPage({ code, state, iss }: FlowResponse): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ code, state, iss, continued: '1' })) {
    if (value !== undefined) query.set(name, value);
  }
  const url = `?${query.toString().replaceAll('&', '&amp;')}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="refresh" content="0;url=${url}">
<title>One moment</title>
<p><a href="${url}">Continue</a></p>
</html>
`;
}

async function assertOwnBrowser(
  deps: OAuthDependencies,
  link: NonNullable<FlowState['link']>,
  request: RequestContext,
): Promise<void> {
  const found = await acceptRefreshToken(deps.sessions, request);
  if (found?.session.id === link.sessionId) return;
  throw new OAuthFailure('invalid_state', 'the link was not requested in this browser session');
}

/** Claims the flow, which works once, before anything is requested from the provider. */
async function claimState(deps: OAuthDependencies, { id, expiresAt }: FlowState): Promise<void> {
  if (await deps.stores.oneTimeIds.claim(hashSecret(id), new Date(expiresAt))) return;
  throw new OAuthFailure('invalid_state', 'the flow was ended before');
}

/** A response of the provider, and the state of the flow that it belongs to. */
interface Received {
  readonly response: FlowResponse;
  readonly state: FlowState;
}

async function linkOrSignIn(
  deps: OAuthDependencies,
  client: ProviderClient,
  { response, state }: Received,
  request: RequestContext,
): Promise<EndedFlow> {
  const identity = await identifyUser(client, response, state);
  const location = state.redirectTo ?? deps.config.oauthSuccessRedirect;
  if (state.link !== null) {
    await linkIdentity(deps, identity, state.link, request);
    return { location, cookies: [] };
  }
  const signedIn = await signInByIdentity(deps, { identity, redirectTo: state.redirectTo }, request);
  if ('challengeCookies' in signedIn) return { location: deps.config.mfaRedirect, cookies: signedIn.challengeCookies };
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
    if (iss !== undefined && !isIssuer(endpoints.issuer, iss)) {
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
