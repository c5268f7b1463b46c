import type { User } from '@x/auth';
import type { Serialized } from '../request/on-wire.ts';

/**
 * Who is signed in, as far as this tab knows. The object stays the same until something visible changes.
 *
 * - `loading`: not known yet; the page has just started, or has not reached the server so far
 * - `signedIn`: also while the server can't be reached, since only the server ends a session
 * - `signedOut`
 */
export type SessionState =
  | { readonly status: 'loading'; readonly user: null }
  | { readonly status: 'signedIn'; readonly user: Serialized<User> }
  | { readonly status: 'signedOut'; readonly user: null };

export const loading: SessionState = { status: 'loading', user: null };

export const signedOut: SessionState = { status: 'signedOut', user: null };

/** Returns the state of a signed-in user: the previous one if nothing visible has changed. */
export function signedInAs(user: Serialized<User>, before: SessionState): SessionState {
  return JSON.stringify(before.user) === JSON.stringify(user) ? before : { status: 'signedIn', user };
}
