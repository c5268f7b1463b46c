/**
 * Adds to an object every other name that it is asked for, made of the name that paths have for it when it is first needed:
 * `bulkComplete` is `bulk-complete`.
 */
export function lazily(make: (path: string) => unknown, made: object = {}): unknown {
  const all = made as Record<PropertyKey, unknown>;
  return new Proxy(made, {
    // JavaScript asks any object for these two: a promise of one of ours would call `then`, and `JSON.stringify` the other.
    get: (_, name) =>
      name in made || typeof name === 'symbol' || /^(then|toJSON)$/.test(name)
        ? all[name]
        : (all[name] = make(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))),
  });
}
