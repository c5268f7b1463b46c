import type { SignedIn } from '@x/auth';
import type { OnWire } from '../request/on-wire.ts';
import type { Moment } from './time.ts';

/** What signing in and refreshing answer; the tokens travel in cookies that no script sees. */
export type NewSession = OnWire<Omit<SignedIn, 'cookies'>>;

/** The session as a tab knows it. */
export interface KnownSession {
  readonly data: NewSession;
  /** For how many milliseconds since `since` its JWT is good. */
  readonly lifetime: number;
  readonly since: Moment;
}
