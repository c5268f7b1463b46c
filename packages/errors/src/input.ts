/** Says whether a value of unknown origin is an object and not an array, as a JSON object is. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Says whether a key of unknown origin could reach a prototype. */
export function isPrototypeKey(key: string): boolean {
  return prototypeKeys.has(key);
}

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
