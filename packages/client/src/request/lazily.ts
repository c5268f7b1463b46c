/**
 * Adds any other property to an object on first use, made from its name in paths: `bulkComplete` from `bulk-complete`.
 */
export function createMembersOnDemand(make: (path: string) => unknown, made: object = {}): unknown {
  const all = made as Record<PropertyKey, unknown>;
  return new Proxy(made, {
    // JavaScript reads these two from any object: resolving a promise with it would call `then`, and `JSON.stringify`
    // `toJSON`.
    get: (_, name) =>
      name in made || typeof name === 'symbol' || /^(then|toJSON)$/.test(name)
        ? all[name]
        : (all[name] = make(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))),
  });
}
