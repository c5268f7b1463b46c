/** How deeply arrays and objects may nest; the outermost counts as 1. */
const maxDepth = 32;

/** How many keys one object may have. */
const maxKeys = 1000;

/**
 * Says whether a freshly parsed JSON value is one that the routes work on, and drops from it the keys that
 * could reach a prototype.
 *
 * Refused are values nested deeper than 32, objects of over 1 000 keys, and numbers beyond a double.
 */
export function hasAcceptableShape(value: unknown, depth = 1): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => hasAcceptableShape(item, depth + 1));
  const keys = Object.keys(value);
  if (keys.length > maxKeys) return false;
  for (const key of prototypeKeys) if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
  return Object.values(value).every((member) => hasAcceptableShape(member, depth + 1));
}

const prototypeKeys = ['__proto__', 'constructor', 'prototype'];
