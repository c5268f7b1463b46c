import { validationFailed } from './parse-input.ts';

/** How deeply arrays and objects may nest; the outermost counts as 1. */
const maxDepth = 32;

const prototypeKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Converts an input to one of plain arrays and objects, at any depth without members that are undefined and
 * without keys that could reach a prototype. Values that JSON does not have stay what they are.
 *
 * Routes have read their JSON like this; callers of `auth.api` hand in whatever they have.
 *
 * @throws CodedError `VALIDATION_FAILED` where the input nests deeper than 32 levels, or within itself
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
