/** A value, or the promise of one that is not there yet. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with a value, at once where it is there: most of what is asked was read before. */
export function whenThere<Value, Next>(
  value: Awaitable<Value>,
  goOn: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Joins values, at once where all are there. */
export function whenAllThere<Value>(values: readonly Awaitable<Value>[]): Awaitable<readonly Value[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly Value[]);
}
