import type { JsonValue } from '../values.ts';
import type { JsonType, WhereValue } from './where.ts';

/**
 * Reads the value at a path in JSON: null if it is missing or of another type. Of the type `json`, it is any value but
 * null.
 */
export function readJson(json: JsonValue, path: readonly string[], as: JsonType): JsonValue {
  let value: JsonValue = json;
  for (const step of path) value = takeStep(value, step);
  if (as === 'json') return value;
  return isOfType[as](value) ? value : null;
}

function takeStep(value: JsonValue, step: string): JsonValue {
  if (typeof value !== 'object' || value === null) return null;
  if (isList(value)) return isPosition(step) ? (value[Number(step)] ?? null) : null;
  return Object.hasOwn(value, step) ? (value[step] ?? null) : null;
}

const isOfType: Readonly<Record<Exclude<JsonType, 'json'>, (value: JsonValue) => value is WhereValue>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
};

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Says whether a step of a path may be a position in a list. */
export function isPosition(step: string): boolean {
  return /^(?:0|[1-9]\d*)$/.test(step);
}
