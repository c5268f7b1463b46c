import type { SessionId } from './id.ts';
import type { SessionWithUser } from './sessions.ts';

/** What one attempt met. */
export interface RateLimitVerdict {
  readonly allowed: boolean;
  /** Whether this is the first attempt of the window that was refused, so that it is told once. */
  readonly isFirstRefusal: boolean;
  /** Attempts left in this window, 0 or more. */
  readonly remaining: number;
  /** When the window is over; at this very moment the next one may begin. */
  readonly resetsAt: Date;
}

/** An attempt that is counted, with the two numbers that its key always comes with. */
export interface RateLimitAttempt {
  readonly key: string;
  readonly maxAttempts: number;
  readonly windowMs: number;
}

/** What an attempt met, and what was found of a session once it was counted. */
export interface CheckedSession {
  readonly verdict: RateLimitVerdict;
  /** The session in any state, with its user; of no meaning where the attempt was refused. */
  readonly found: SessionWithUser | null;
}

/** Fixed-window counters that every process on the database shares. */
export interface RateLimitStore {
  /**
   * Counts one attempt. A window starts at the first attempt and lasts `windowMs`; of any number of
   * concurrent attempts in it exactly `maxAttempts` are allowed. A refused attempt does not extend it. A key
   * always comes with the same two numbers.
   *
   * A store whose room is bounded refuses new keys of an operation that has filled its share, and goes on with those
   * of others; a window under way is never forgotten.
   *
   * @param key - what stands before its first colon names the operation, which no caller of the app chooses
   * @param maxAttempts - a whole number, 1 or more
   * @param windowMs - milliseconds, 1 or more
   * @throws CodedError `SERVICE_UNAVAILABLE` where there is no room for the key
   */
  check(key: string, maxAttempts: number, windowMs: number): Promise<RateLimitVerdict>;

  /**
   * Does what {@link check} does, and then what `findWithUser` of the sessions does, in one call. Missing where that is no
   * less work than two. On a database with a server it spares a third of what a refresh asks.
   */
  readonly checkWithSession?: (attempt: RateLimitAttempt, id: SessionId) => Promise<CheckedSession>;

  /**
   * Takes one allowed attempt back, where only those that fail are to count: counted before, no more of them are ever under
   * way than may fail. Does nothing where its window is over.
   *
   * @param maxAttempts - what {@link check} was called with
   * @param resetsAt - what it returned
   */
  giveBack(key: string, maxAttempts: number, resetsAt: Date): Promise<void>;

  /** Deletes up to `limit` windows that are over, the first to end first, and says how many. */
  prune(options: { readonly limit: number }): Promise<number>;
}
