import type { Awaitable } from '@x/errors';

/** Continues with a value; synchronously if it is there, as most are because they were read before. */
export function mapAwaitable<Value, Next>(
  value: Awaitable<Value>,
  toNext: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(toNext) : toNext(value);
}

/** Joins values; synchronously if all are there. */
export function allAwaitable<Value>(values: readonly Awaitable<Value>[]): Awaitable<readonly Value[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly Value[]);
}
