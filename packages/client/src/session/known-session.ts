import type { SignedIn } from '@x/auth';
import type { Serialized } from '../request/on-wire.ts';
import type { TimedResult } from '../request/send.ts';
import { lifetimeMs, type Moment, now } from './time.ts';

/** The answer to signing in and refreshing; the tokens travel in cookies that scripts can't read. */
export type NewSession = Serialized<Omit<SignedIn, 'cookies'>>;

/** An answer with a session. */
export type SessionResult = TimedResult<NewSession> & { readonly ok: true };

/** A session, as a tab knows it. */
export interface ActiveSession {
  readonly data: NewSession;
  /** How many milliseconds after `since` its JWT stays valid. */
  readonly lifetime: number;
  readonly since: Moment;
}

/** Converts an answer that has just arrived. */
export function toActiveSession({ data, serverTime }: SessionResult): ActiveSession {
  return { data, lifetime: lifetimeMs(data.expiresAt, serverTime), since: now() };
}
