import { CodedError } from '@x/errors';
import { z } from 'zod';
import { hashSecret } from '../crypto/hash.ts';
import { randomToken } from '../crypto/random.ts';
import { consumeAttempt } from '../rate-limits/rate-limits.ts';
import { parseInput } from '../request/parse-input.ts';
import type { RequestContext } from '../request/request-context.ts';
import { assertFresh } from '../mfa/proof.ts';
import { requireRefreshToken } from '../session/require-refresh-token.ts';
import type { ProviderClient } from './client.ts';
import { type OAuthDependencies, type ProviderDependencies, requireProvider } from './oauth.ts';
import { parseRedirectTo } from './redirect-target.ts';
import { clearedOldFlowCookies, flowCookies, flowSeconds, type FlowState } from './state.ts';

/** Options of a flow. */
export interface FlowRequest {
  /** A path of the app. Anything else is ignored, and the configured target is used. */
  readonly redirectTo?: string | undefined;
}

/** A started flow: redirect the browser to the provider, with the cookies. */
export interface StartedFlow {
  /** The provider's page. */
  readonly url: string;
  /** The `Set-Cookie` values that carry the flow's state. Secret. */
  readonly cookies: readonly string[];
}

/**
 * Starts a sign-in with a provider. It never links anything to a user who is already signed in.
 *
 * @throws CodedError `NOT_FOUND` for an unknown provider; `RATE_LIMITED`; `SERVICE_UNAVAILABLE` if discovery fails
 */
export async function startFlow(
  deps: OAuthDependencies,
  provider: string,
  { redirectTo }: FlowRequest,
  request: RequestContext,
): Promise<StartedFlow> {
  const found = requireProvider(deps, provider);
  await consumeAttempt(deps.limits, { limit: 'oauth' }, request);
  return startAt(deps, found, { redirectTo, link: null }, request);
}

/**
 * Starts a flow that links the provider's identity to the caller.
 *
 * @throws CodedError `NOT_FOUND` for an unknown provider; `SESSION_EXPIRED`, `STEP_UP_REQUIRED`; `SERVICE_UNAVAILABLE`
 * if discovery fails
 */
export async function startLink(
  deps: OAuthDependencies,
  provider: string,
  input: unknown,
  request: RequestContext,
): Promise<StartedFlow> {
  const found = requireProvider(deps, provider);
  const caller = await requireRefreshToken(deps.sessions, request);
  const { redirectTo } = parseInput(linkInput, input);
  await assertFresh(deps.mfa, deps.stores, caller);
  const link = { userId: caller.user.id, sessionId: caller.session.id };
  return startAt(deps, found, { redirectTo, link }, request);
}

/** The input of {@link startLink}. */
export const linkInput: z.ZodType<FlowRequest> = z.strictObject({ redirectTo: z.string().optional() });

async function startAt(
  deps: OAuthDependencies,
  { client, states }: ProviderDependencies,
  { redirectTo, link }: FlowRequest & Pick<FlowState, 'link'>,
  { headers }: RequestContext,
): Promise<StartedFlow> {
  const { provider } = client;
  const { endpoints } = await client.getMetadata().catch((cause: unknown) => {
    throw new CodedError('SERVICE_UNAVAILABLE', 'The provider does not respond.', { retryAfter: 10, cause });
  });
  const state: FlowState = {
    id: randomToken(),
    provider: provider.id,
    nonce: provider.idTokenAlgorithms.length > 0 ? randomToken() : null,
    codeVerifier: provider.usesPkce ? randomToken() : null,
    expiresAt: deps.stores.clock.now().getTime() + flowSeconds * 1000,
    redirectTo: parseRedirectTo(redirectTo),
    link,
  };
  const url = new URL(endpoints.authorizationUrl);
  for (const [name, value] of Object.entries(toParameters(state, client))) url.searchParams.set(name, value);
  const cleared = clearedOldFlowCookies(deps.config, states, headers);
  return { url: url.href, cookies: [...cleared, ...flowCookies(deps.config, states, state)] };
}

/**
 * The parameters of the authorization request.
 *
 * @see RFC 6749 section 4.1.1, RFC 7636 section 4.3, OpenID Connect Core 1.0 section 3.1.2.1
 */
function toParameters(
  { id, nonce, codeVerifier }: FlowState,
  { provider, redirectUri }: ProviderClient,
): Readonly<Record<string, string>> {
  return {
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: provider.scopes.join(' '),
    state: id,
    ...(provider.responseMode && { response_mode: provider.responseMode }),
    ...(nonce !== null && { nonce }),
    ...(codeVerifier !== null && { code_challenge: toCodeChallenge(codeVerifier), code_challenge_method: 'S256' }),
  };
}

/** Returns the S256 challenge of a verifier. @see RFC 7636 section 4.2 */
export function toCodeChallenge(verifier: string): string {
  return hashSecret(verifier);
}
