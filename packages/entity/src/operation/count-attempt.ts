import { CodedError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import type { ActionRateLimit } from '../action/action-shape.ts';
import type { Scope } from './scope.ts';

/** One attempt at something that is rate-limited. */
export interface Attempt {
  /** Names the limited operation; never chosen by a caller. */
  readonly name: string;
  readonly limit: ActionRateLimit;
  /** The key that attempts are counted under. */
  readonly key: string;
}

/**
 * Counts an attempt.
 *
 * @throws CodedError `RATE_LIMITED` with `retryAfter` in seconds; `SERVICE_UNAVAILABLE` if it can't be counted
 */
export async function countAttempt({ stores, context }: Scope, { name, limit, key }: Attempt): Promise<void> {
  const windowMs = limit.windowSeconds * 1000;
  const { allowed, resetsAt } = await stores.rateLimits
    .check(`${name}:${key}`, limit.max, windowMs)
    .catch((error: unknown) => {
      // If an attempt can't be counted, it is refused.
      throw error instanceof CodedError ? error : storeUnavailable(error);
    });
  if (allowed) return;
  const waitMs = Math.min(resetsAt.getTime() - context.stores.clock.now().getTime(), windowMs);
  throw new CodedError('RATE_LIMITED', 'Too many attempts.', {
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
