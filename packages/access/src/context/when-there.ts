/** A value, or a promise of one that has not arrived yet. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Continues with a value; synchronously if it is there, as most are because they were read before. */
export function whenThere<Value, Next>(
  value: Awaitable<Value>,
  goOn: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Joins values; synchronously if all are there. */
export function whenAllThere<Value>(values: readonly Awaitable<Value>[]): Awaitable<readonly Value[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly Value[]);
}
