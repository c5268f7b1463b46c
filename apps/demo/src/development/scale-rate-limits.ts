import type { RateLimitStore, TransactionStores } from '@x/store';

/**
 * Multiplies every rate limit that is checked through these stores, or through those of their transactions. At least
 * one attempt is always allowed. Nothing else changes.
 */
export function scaleRateLimits<S extends TransactionStores>(stores: S, factor: number): S {
  const transaction: TransactionStores['transaction'] = (work, options) =>
    stores.transaction((inner) => work(scaleRateLimits(inner, factor)), options);
  return new Proxy(stores, {
    get(target, name) {
      if (name === 'rateLimits') return scale(target.rateLimits, factor);
      return name === 'transaction' ? transaction : Reflect.get(target, name);
    },
  });
}

function scale(rateLimits: RateLimitStore, factor: number): RateLimitStore {
  const scaled = (maxAttempts: number): number => Math.max(1, Math.round(maxAttempts * factor));
  const { checkWithSession } = rateLimits;
  return {
    check: (key, maxAttempts, windowMs) => rateLimits.check(key, scaled(maxAttempts), windowMs),
    isFull: (key, maxAttempts) => rateLimits.isFull(key, scaled(maxAttempts)),
    ...(checkWithSession && {
      checkWithSession: ({ maxAttempts, ...attempt }) =>
        checkWithSession({ ...attempt, maxAttempts: scaled(maxAttempts) }),
    }),
    refund: (key, maxAttempts, resetsAt) => rateLimits.refund(key, scaled(maxAttempts), resetsAt),
    prune: (options) => rateLimits.prune(options),
  };
}
