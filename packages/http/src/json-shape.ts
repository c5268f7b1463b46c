/** How deeply arrays and objects may nest; the outermost counts as 1. */
const maxDepth = 32;

/** How many keys one object may have. */
const maxKeys = 1000;

/**
 * Says whether a parsed JSON value is within the bounds that routes accept: at most 32 levels, at most 1 000 keys in
 * one object, no number beyond a double.
 */
export function isWithinBounds(value: unknown, depth = 1): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > maxDepth) return false;
  const members = Object.values(value);
  if (!Array.isArray(value) && members.length > maxKeys) return false;
  return members.every((member) => isWithinBounds(member, depth + 1));
}

const prototypeKeys = ['__proto__', 'constructor', 'prototype'];

/** Removes from a freshly parsed JSON value, at every depth, the keys that could reach a prototype. */
export function dropPrototypeKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of prototypeKeys) if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
  for (const member of Object.values(value)) dropPrototypeKeys(member);
}
