import type { SessionId, UserId } from '@x/store';
import { z } from 'zod';
import { isSameText } from '../crypto/hash.ts';
import type { Sealer } from '../keys/sealer.ts';
import { cookieNamesOf, readScopedCookie } from '../request/headers.ts';
import { type CookieConfig, cookieName, toScopedCookies } from '../session/cookies.ts';

/** The state of a flow until the provider redirects back. It is stored only in the browser, encrypted. */
export interface FlowState {
  /** The `state` parameter: 256 random bits, base64url. */
  readonly id: string;
  /** The provider that the flow was started with. No other may complete it. */
  readonly provider: string;
  /** Null for a provider without ID tokens. */
  readonly nonce: string | null;
  /** Null for a provider without PKCE. */
  readonly codeVerifier: string | null;
  /** In milliseconds since the epoch. From this moment on, the flow has expired. */
  readonly expiresAt: number;
  /** Where to go afterwards, as a path of the app; null for the configured target. */
  readonly redirectTo: string | null;
  /** The user who requested a link, and their session; null for a sign-in. */
  readonly link: { readonly userId: UserId; readonly sessionId: SessionId } | null;
}

/** How long a flow may take, in seconds. */
export const flowSeconds = 600;

/** Says whether a text has the form of our `state`. */
export function isFlowId(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

/**
 * Decrypts the state that a response belongs to; null if we did not create it, or it is for another flow or provider,
 * or has expired.
 */
export function openFlowState(
  sealer: Sealer,
  sealed: string,
  response: { readonly id: string; readonly provider: string; readonly now: Date },
): FlowState | null {
  const text = sealer.open(sealed);
  if (text === null) return null;
  const parsed = flowState.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  const state = parsed.data as FlowState;
  const isOfResponse = isSameText(state.id, response.id) && state.provider === response.provider;
  return isOfResponse && response.now.getTime() < state.expiresAt ? state : null;
}

/** Only we have the key, but another version of this package may have written a different format. */
const flowState = z.object({
  id: z.string(),
  provider: z.string(),
  nonce: z.string().nullable(),
  codeVerifier: z.string().nullable(),
  expiresAt: z.number(),
  redirectTo: z.string().nullable(),
  link: z.object({ userId: z.string(), sessionId: z.string() }).nullable(),
});

/** Names the cookie of a flow. Each flow has its own, so that flows in two tabs do not interfere. */
function toPart(flowId: string): FlowCookiePart {
  return `oauth.${flowId.slice(0, 12)}`;
}

type FlowCookiePart = `oauth.${string}`;

/** Reads the encrypted state of a flow from a request; null if there is none. */
export function readFlowCookie(config: CookieConfig, headers: Headers, flowId: string): string | null {
  return readScopedCookie(headers, cookieName(config, toPart(flowId)));
}

/** Builds the `Set-Cookie` values that store the encrypted state of a flow in the browser. */
export function flowCookies(config: CookieConfig, sealer: Sealer, state: FlowState): readonly string[] {
  const value = sealer.seal(JSON.stringify(state));
  return toFlowCookies(config, { part: toPart(state.id), value, maxAge: flowSeconds });
}

/**
 * Builds the `Set-Cookie` values that clear a flow. A response that names no flow clears every flow of the request,
 * because it could belong to any of them.
 */
export function clearedFlowCookies(
  config: CookieConfig,
  headers: Headers,
  flowId: string | undefined,
): readonly string[] {
  const parts = isFlowId(flowId) ? [toPart(flowId)] : flowsOf(config, headers);
  return parts.flatMap((part) => toFlowCookies(config, { part, value: '', maxAge: 0 }));
}

/** A browser sends the cookies of all flows with each request to the routes of flows, so only some fit. */
const maxFlows = 5;

/** Builds the `Set-Cookie` values that make room for another flow: they clear the oldest ones of a request. */
export function clearedOldFlowCookies(config: CookieConfig, sealer: Sealer, headers: Headers): readonly string[] {
  const flows = flowsOf(config, headers)
    .map((part) => ({ part, expiresAt: expiryOf(sealer, readScopedCookie(headers, cookieName(config, part))) }))
    // Of two that began in the same millisecond, browsers name the older one first.
    .toReversed()
    .toSorted((a, b) => b.expiresAt - a.expiresAt);
  return flows.slice(maxFlows - 1).flatMap(({ part }) => toFlowCookies(config, { part, value: '', maxAge: 0 }));
}

/** Returns when a flow expires; one that is not ours, or that is ambiguous, has always expired. */
function expiryOf(sealer: Sealer, sealed: string | null): number {
  const text = sealed === null ? null : sealer.open(sealed);
  const { data } = text === null ? {} : flowState.safeParse(JSON.parse(text));
  return data?.expiresAt ?? 0;
}

/** More than a browser has from us. Each is read, and cleared on four paths: of planted ones, only some at a time. */
const maxListed = 24;

/** Lists the cookies of flows that a request has; of too many, the first, which browsers have had for longest. */
function flowsOf(config: CookieConfig, headers: Headers): readonly FlowCookiePart[] {
  const prefix = cookieName(config, 'oauth.');
  const flows = cookieNamesOf(headers).flatMap((name) => {
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return /^[\w-]{12}$/.test(id) ? [toPart(id)] : [];
  });
  return flows.slice(0, maxListed);
}

/** Always Lax, even if the session cookies are Strict: the provider redirects from another site. */
function toFlowCookies(
  config: CookieConfig,
  contents: { readonly part: FlowCookiePart; readonly value: string; readonly maxAge: number },
): readonly string[] {
  return toScopedCookies(config, { path: `${config.basePath}/oauth`, sameSite: 'lax', ...contents });
}
