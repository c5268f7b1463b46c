import type { SessionId } from '../values.ts';
import type { SessionWithUser } from './sessions.ts';

/** The outcome of one attempt. */
export interface RateLimitResult {
  readonly allowed: boolean;
  /** Whether this is the first refused attempt of the window, so that it is reported once. */
  readonly isFirstRefusal: boolean;
  /** Attempts left in this window, 0 or more. */
  readonly remaining: number;
  /** When the window ends; at this very moment the next one may begin. */
  readonly resetsAt: Date;
}

/** An attempt to count, with the limit that always comes with its key. */
export interface RateLimitAttempt {
  readonly key: string;
  readonly maxAttempts: number;
  readonly windowMs: number;
}

/** An attempt on a session, to count under one of two keys. */
export interface SessionAttempt extends Omit<RateLimitAttempt, 'key'> {
  readonly sessionId: SessionId;
  /** The hash of the refresh token that is presented for the session. */
  readonly tokenHash: string;
  readonly keys: {
    /** If it is the session's current or previous token, in any state of the session. */
    readonly known: string;
    /** If it is not, or there is no such session. */
    readonly unknown: string;
  };
}

/** The outcome of an attempt on a session. */
export interface CheckedSession {
  readonly result: RateLimitResult;
  /** The session in any state, with its user. */
  readonly found: SessionWithUser | null;
}

/** Fixed-window counters, shared by all processes on the database. */
export interface RateLimitStore {
  /**
   * Counts one attempt. A window starts at the first attempt and lasts `windowMs`; of any number of concurrent attempts
   * in it, exactly `maxAttempts` are allowed. A refused attempt does not extend it. A key must always come with the
   * same two numbers.
   *
   * A store of limited size refuses new keys of an operation that has filled its share, and keeps serving those of
   * other operations; it never drops a window that is still open.
   *
   * @param key - the part before the first colon names the operation, and must not come from a caller
   * @param maxAttempts - a whole number, 1 or more
   * @param windowMs - milliseconds, 1 or more
   * @throws CodedError `SERVICE_UNAVAILABLE` if there is no room for the key
   */
  check(key: string, maxAttempts: number, windowMs: number): Promise<RateLimitResult>;

  /**
   * Says whether the window of a key has counted all attempts that it allows, without counting one: for limits that
   * count only failures, before it is known which attempts fail.
   *
   * @param maxAttempts - as passed to {@link check}
   */
  isFull(key: string, maxAttempts: number): Promise<boolean>;

  /**
   * Does `findWithUser` of the sessions, then {@link check} with the key that its `isKnownToken` selects, in one call.
   * Missing if that saves nothing. With a database server, it saves a third of the round trips of a refresh.
   */
  readonly checkWithSession?: (attempt: SessionAttempt) => Promise<CheckedSession>;

  /**
   * Takes an allowed attempt back, for limits that count only failures. Because attempts are counted first, no more can
   * be in progress than may fail. Does nothing if the window has ended.
   *
   * @param maxAttempts - as passed to {@link check}
   * @param resetsAt - as returned by it
   */
  refund(key: string, maxAttempts: number, resetsAt: Date): Promise<void>;

  /** Deletes up to `limit` windows that have ended, in the order of their ends, and returns how many. */
  prune(options: { readonly limit: number }): Promise<number>;
}
