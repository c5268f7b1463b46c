import { CodedError } from '@x/errors';
import pLimit from 'p-limit';
import type { PasswordHasher } from './hasher.ts';

/** How much hashing may be in progress at once. */
export interface HashBounds {
  /** Hashes that run at the same time, 1 or more. */
  readonly concurrency: number;
  /** Hashes that may wait for a free slot, 0 or more. */
  readonly maxWaiting: number;
}

/**
 * Bounds a password hasher, so that a flood of sign-ins neither takes all memory and threads nor makes everybody wait
 * for minutes. Hashes beyond the bounds are refused at once with `SERVICE_UNAVAILABLE` and `retryAfter`, whatever the
 * password and whoever it belongs to.
 */
export function boundHasher(hasher: PasswordHasher, { concurrency, maxWaiting }: HashBounds): PasswordHasher {
  const limit = pLimit(concurrency);
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.activeCount + limit.pendingCount >= concurrency + maxWaiting) throw tooBusy();
    return limit(work);
  };
  return {
    hash: (password) => enter(() => hasher.hash(password)),
    verify: (hash, password) => enter(() => hasher.verify(hash, password)),
    canVerify: (hash) => hasher.canVerify(hash),
    needsRehash: (hash) => hasher.needsRehash(hash),
  };
}

function tooBusy(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'Too many people are signing in right now. Try again shortly.', {
    retryAfter: 1,
  });
}
