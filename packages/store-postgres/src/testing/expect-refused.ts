import { startStopwatch } from '@x/test-support/measure';
import { expect } from 'vitest';

/** How long a call may take to be refused: two seconds, and a little for this process to notice. */
const refusedWithinMs = 2200;

/** Expects that a call is refused because the database can't serve, and soon; returns what caused it. */
export async function expectRefused(call: Promise<unknown>): Promise<unknown> {
  const stopwatch = startStopwatch();
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const tookMs = stopwatch();
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 } });
  expect(tookMs).toBeLessThan(refusedWithinMs);
  return (error as Error).cause;
}
