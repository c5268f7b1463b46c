import { storeUnavailable } from '../errors.ts';

/** How long callers of a database wait, in milliseconds. Only tests have another one than {@link defaultPatience}. */
export interface Patience {
  /** How long a call waits for others before it is refused. */
  readonly waitMs: number;
  /** How long a new connection to a server may take. */
  readonly connectMs: number;
  /** How long a start waits for its database, and for the lock to migrate it. Default: a minute. */
  readonly startMs?: number;
}

export const defaultPatience: Required<Patience> = { waitMs: 2000, connectMs: 1000, startMs: 60_000 };

/** How long a transaction may block other writers before it is rolled back, in milliseconds. */
export const maxTransactionMs = 5000;

/**
 * Settles as `work` does, or rejects if that takes longer; `work` then continues, but its outcome is ignored.
 *
 * @param limitMs - milliseconds, possibly `Infinity`; 0 or less means that the time is already up
 * @throws CodedError `SERVICE_UNAVAILABLE` if the time is up
 */
export async function withTimeLimit<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  if (limitMs === Infinity) return work();
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(storeUnavailable()), Math.max(1, limitMs));
  try {
    return await Promise.race([work(), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}
