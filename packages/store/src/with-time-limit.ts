import { storeUnavailable } from './errors.ts';

/** How long a transaction may keep other writers waiting, in milliseconds, before it is undone. */
export const maxTransactionMs = 5000;

/**
 * Settles as `work` does, or rejects where that takes longer; `work` goes on then, but nobody listens.
 *
 * @param limitMs - milliseconds, none left where it is 0 or less, or `Infinity`
 * @throws CodedError `SERVICE_UNAVAILABLE` where the time is over
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
