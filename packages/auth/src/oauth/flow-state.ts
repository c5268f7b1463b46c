import type { SessionId, UserId } from '@x/store';
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Sealer } from '../secrets/sealer.ts';

/** What a flow has to remember until the provider redirects back. It is stored only in the browser, encrypted. */
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
  /** Who asked for a link, and in which session; null for a sign-in. */
  readonly link: { readonly userId: UserId; readonly sessionId: SessionId } | null;
}

/** How long a flow may take, in seconds. */
export const flowSeconds = 600;

/** Creates 256 random bits, in base64url: a `state` or a `nonce`. */
export function createFlowSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Says whether a text has the form of our `state`. */
export function isFlowId(text: string | undefined): text is string {
  return text !== undefined && /^[\w-]{43}$/.test(text);
}

/** Encrypts the state of a flow. */
export function sealFlowState(sealer: Sealer, state: FlowState): string {
  return sealer.seal(JSON.stringify(state));
}

/**
 * Returns the state of the flow that an answer belongs to; null if we did not create it, or it is for something else.
 */
export function openFlowState(
  sealer: Sealer,
  sealed: string,
  answer: { readonly id: string; readonly provider: string; readonly now: Date },
): FlowState | null {
  const text = sealer.open(sealed);
  if (text === null) return null;
  const parsed = flowState.safeParse(JSON.parse(text));
  if (!parsed.success) return null;
  const state = parsed.data as FlowState;
  const isGood = isEqual(state.id, answer.id) && state.provider === answer.provider;
  return isGood && answer.now.getTime() < state.expiresAt ? state : null;
}

/** Returns the hash that marks a flow as used. */
export function hashFlowId(id: string): string {
  return hash('sha256', id, 'base64url');
}

function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
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
