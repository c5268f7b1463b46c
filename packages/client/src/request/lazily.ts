/**
 * Adds to an object every other name that it is asked for, made of the name that paths have for it when it is first needed:
 * `bulkComplete` is `bulk-complete`.
 */
export function lazily(make: (path: string) => unknown, made: object = {}): unknown {
  const all = made as Record<PropertyKey, unknown>;
  return new Proxy(made, {
    get: (_, name) =>
      name in made || typeof name === 'symbol' || askedOfAll.test(name)
        ? all[name]
        : (all[name] = make(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))),
  });
}

/** What JavaScript asks any object for: a promise of one of ours would call it, and so would `JSON.stringify`. */
const askedOfAll = /^(then|toJSON)$/;
