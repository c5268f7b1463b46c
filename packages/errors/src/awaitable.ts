/** A value, or a promise of one that is not available yet. */
export type Awaitable<T> = T | Promise<T>;

/** Continues with a value: synchronously, without a microtask, if it is available. */
export function mapAwaitable<Value, Next>(
  value: Awaitable<Value>,
  toNext: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(toNext) : toNext(value);
}

/** Joins values in their order: synchronously, into the same array, if all are available. */
export function allAwaitable<Value>(values: readonly Awaitable<Value>[]): Awaitable<readonly Value[]> {
  return areAvailable(values) ? values : Promise.all(values);
}

function areAvailable<Value>(values: readonly Awaitable<Value>[]): values is readonly Value[] {
  return !values.some((value) => value instanceof Promise);
}
