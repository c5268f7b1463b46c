import type { NoFields, SignedIn, User, UserFields } from '@x/auth';
import type { Serialized, TimedResult } from '../request/send.ts';
import { type Moment, now } from './time.ts';

/**
 * Who is signed in, as far as this tab knows. The object stays the same until something visible changes.
 *
 * - `loading`: not known yet; the page has just started, or has not reached the server so far
 * - `signedIn`: also while the server can't be reached, since only the server ends a session
 * - `signedOut`
 */
export type SessionState<Fields extends UserFields = NoFields> =
  | { readonly status: 'loading'; readonly user: null }
  | { readonly status: 'signedIn'; readonly user: Serialized<User<Fields>> }
  | { readonly status: 'signedOut'; readonly user: null };

export const loading: SessionState = { status: 'loading', user: null };

export const signedOut: SessionState = { status: 'signedOut', user: null };

/** Returns the state of a signed-in user: the previous one if nothing visible has changed. */
export function signedInAs(user: Serialized<User>, before: SessionState): SessionState {
  return JSON.stringify(before.user) === JSON.stringify(user) ? before : { status: 'signedIn', user };
}

/** The result of signing in and refreshing; the tokens travel in cookies that scripts can't read. */
export type NewSession<Fields extends UserFields = NoFields> = Serialized<Omit<SignedIn<Fields>, 'cookies'>>;

/** A success with a session. */
export type SessionResult = TimedResult<NewSession> & { readonly ok: true };

/** A session, as a tab knows it. */
export interface ActiveSession {
  readonly data: NewSession;
  /** How many milliseconds after `since` its JWT stays valid. */
  readonly lifetime: number;
  readonly since: Moment;
}

/**
 * Converts a result that has just arrived. The lifetime is computed from the server's clock only: that of this machine
 * may be wrong by hours. Its `Date` header may be up to a second old, which is subtracted; where it can't be read, as
 * in pages of another origin, or the clocks of the server disagree, half a minute is assumed, and a 401 corrects it.
 */
export function toActiveSession({ data, serverTime }: SessionResult): ActiveSession {
  const milliseconds = Date.parse(data.expiresAt) - (serverTime as number);
  return { data, lifetime: milliseconds > 0 ? Math.max(milliseconds - 1000, 500) : 30_000, since: now() };
}
