import type { SignedIn } from '@x/auth';
import type { OnWire } from '../request/on-wire.ts';
import type { Answered } from '../request/send.ts';
import { lifetimeMs, type Moment, now } from './time.ts';

/** What signing in and refreshing answer; the tokens travel in cookies that no script sees. */
export type NewSession = OnWire<Omit<SignedIn, 'cookies'>>;

/** An answer that carries a session. */
export type SessionAnswer = Answered<NewSession> & { readonly ok: true };

/** The session as a tab knows it. */
export interface KnownSession {
  readonly data: NewSession;
  /** For how many milliseconds since `since` its JWT is good. */
  readonly lifetime: number;
  readonly since: Moment;
}

/** Converts an answer that has just come. */
export function toKnownSession({ data, serverTime }: SessionAnswer): KnownSession {
  return { data, lifetime: lifetimeMs(data.expiresAt, serverTime), since: now() };
}
