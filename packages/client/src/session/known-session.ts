import type { SignedIn } from '@x/auth';
import type { OnWire } from '../request/on-wire.ts';
import type { Answered } from '../request/send.ts';
import { lifetimeMs, type Moment, now } from './time.ts';

/** The answer to signing in and refreshing; the tokens travel in cookies that scripts can't read. */
export type NewSession = OnWire<Omit<SignedIn, 'cookies'>>;

/** An answer with a session. */
export type SessionAnswer = Answered<NewSession> & { readonly ok: true };

/** A session, as a tab knows it. */
export interface KnownSession {
  readonly data: NewSession;
  /** How many milliseconds after `since` its JWT stays valid. */
  readonly lifetime: number;
  readonly since: Moment;
}

/** Converts an answer that has just arrived. */
export function toKnownSession({ data, serverTime }: SessionAnswer): KnownSession {
  return { data, lifetime: lifetimeMs(data.expiresAt, serverTime), since: now() };
}
