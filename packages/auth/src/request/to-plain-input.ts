import { validationFailed } from './parse-input.ts';

/** How deeply arrays and objects may nest; the outermost counts as 1. */
const maxDepth = 32;

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Converts an input to plain arrays and objects, dropping at every depth members that are undefined and keys that could
 * reach a prototype. Values that JSON does not have are kept as they are.
 *
 * Routes read their JSON this way; callers of `auth.api` may pass anything.
 *
 * @throws CodedError `VALIDATION_FAILED` if the input nests deeper than 32 levels, or contains itself
 */
export function toPlainInput(value: unknown, depth = 1): unknown {
  if (!isArrayOrObject(value)) return value;
  if (depth > maxDepth) throw validationFailed([{ path: [], code: 'too_big', message: 'The input nests too deeply.' }]);
  if (Array.isArray(value)) return value.map((item) => toPlainInput(item, depth + 1));
  const members = Object.entries(value).filter(([name, member]) => member !== undefined && !prototypeKeys.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, toPlainInput(member, depth + 1)]));
}

function isArrayOrObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
