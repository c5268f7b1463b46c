import type { RateLimitResult } from '@x/store';

/** Counts attempts where the app wants them counted, such as in Redis. */
export interface LimitStore {
  /**
   * Counts an attempt, as `RateLimitStore.check` of `@x/store` does. It need not roll back with a transaction.
   *
   * @param key - the name of the limit, a colon, and whom it counts: an e-mail address, for example
   * @param max - how many attempts are allowed, 1 or more
   * @param windowMs - how long they are counted from the first one, in milliseconds
   */
  check(key: string, max: number, windowMs: number): Promise<LimitResult>;
}

type LimitResult = Pick<RateLimitResult, 'allowed' | 'isFirstRefusal' | 'resetsAt'>;

/** Makes sure that a store of the app resolves to a result, which in JavaScript nothing else does. */
export function toCheckedStore(store: LimitStore): LimitStore {
  return {
    async check(key, max, windowMs) {
      const result: unknown = await store.check(key, max, windowMs);
      if (isResult(result)) return result;
      throw new TypeError('limits.store: check must resolve to { allowed, isFirstRefusal, resetsAt }, the last a Date');
    },
  };
}

function isResult(value: unknown): value is LimitResult {
  const { allowed, isFirstRefusal, resetsAt } = (value ?? {}) as { readonly [Name in keyof LimitResult]?: unknown };
  const isMoment = resetsAt instanceof Date && !Number.isNaN(resetsAt.getTime());
  return typeof allowed === 'boolean' && typeof isFirstRefusal === 'boolean' && isMoment;
}
