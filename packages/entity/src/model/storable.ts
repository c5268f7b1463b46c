import { isStorableText, type JsonValue } from '@x/store';

const maxDepth = 32;

/** Keys that could be mistaken for more than data. */
const dangerousKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Says whether a value is JSON that every engine can store, at most 32 levels deep. */
export function isStorableJson(value: unknown, depth = 0): value is JsonValue {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (value === null || typeof value === 'boolean') return true;
  if (typeof value !== 'object' || depth >= maxDepth) return false;
  if (Array.isArray(value)) return value.every((item) => isStorableJson(item, depth + 1));
  return isPlain(value) && Object.entries(value).every(([key, item]) => isKey(key) && isStorableJson(item, depth + 1));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function isKey(key: string): boolean {
  return isStorableText(key) && !dangerousKeys.has(key);
}
