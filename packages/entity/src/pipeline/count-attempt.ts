import { CodedError } from '@x/errors';
import { storeUnavailable } from '@x/store';
import type { ActionRateLimit } from '../action/action-shape.ts';
import type { Scope } from './scope.ts';

/** One attempt at something that is limited. */
export interface Attempt {
  /** Names what is limited; no caller chooses it. */
  readonly name: string;
  readonly limit: ActionRateLimit;
  /** Whose attempts count together. */
  readonly key: string;
}

/**
 * Counts an attempt.
 *
 * @throws CodedError `RATE_LIMITED` with `retryAfter` in seconds; `SERVICE_UNAVAILABLE` where it can't be counted
 */
export async function countAttempt({ stores, context }: Scope, { name, limit, key }: Attempt): Promise<void> {
  const windowMs = limit.windowSeconds * 1000;
  const { allowed, resetsAt } = await stores.rateLimits
    .check(`${name}:${key}`, limit.max, windowMs)
    .catch((error: unknown) => {
      // A limit that can't be counted is no reason to let anybody through.
      throw error instanceof CodedError ? error : storeUnavailable(error);
    });
  if (allowed) return;
  const waitMs = Math.min(resetsAt.getTime() - context.stores.clock.now().getTime(), windowMs);
  throw new CodedError('RATE_LIMITED', 'Too many attempts.', {
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}
