import { expect } from 'vitest';

/** Expects that a call is refused because the database can't serve; returns the cause. */
export async function expectRefused(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', extras: { retryAfter: 1 } });
  return (error as Error).cause;
}
