import { CodedError } from '@x/errors';
import { type RateLimitVerdict, storeUnavailable } from '@x/store';
import type { AuthContext } from '../auth-context.ts';
import { publishEvents, recordEvent } from '../event/record-event.ts';
import type { RequestContext } from '../request/request-context.ts';
import type { LimitName } from './limits.ts';

/** One attempt at a limited operation. */
export interface Attempt {
  readonly limit: LimitName;
  /** Whom the limit counts: a canonical e-mail, an address key, a user id. */
  readonly key: string;
}

/**
 * Counts an attempt, before whatever it may cost. The first one that a window refuses is logged.
 *
 * @throws CodedError `RATE_LIMITED` with `retryAfter` in seconds; `SERVICE_UNAVAILABLE` where it can't be counted
 */
export async function consumeAttempt(auth: AuthContext, attempt: Attempt, request: RequestContext): Promise<void> {
  const verdict = await count(auth, attempt);
  if (verdict.allowed) return;
  if (verdict.isFirstRefusal) await recordRefusal(auth, attempt, request);
  const waitMs = verdict.resetsAt.getTime() - auth.stores.clock.now().getTime();
  throw new CodedError('RATE_LIMITED', 'There were too many attempts.', {
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** A limit that can't be counted is no reason to let anybody through. */
async function count(auth: AuthContext, { limit, key }: Attempt): Promise<RateLimitVerdict> {
  const { maxAttempts, windowMs } = auth.limits[limit];
  try {
    return await auth.stores.rateLimits.check(`${limit}:${key}`, maxAttempts, windowMs);
  } catch (error) {
    throw error instanceof CodedError ? error : storeUnavailable(error);
  }
}

/** A refusal that can't be recorded stays one: it goes to the log. */
async function recordRefusal(auth: AuthContext, { limit, key }: Attempt, request: RequestContext): Promise<void> {
  const event = { type: 'rate_limit.reached', userId: null, detail: { limit, key } } as const;
  try {
    publishEvents(auth, [await recordEvent(auth.stores, event, request)]);
  } catch (err) {
    auth.logger.error({ err, eventType: event.type }, 'an event could not be recorded');
  }
}
