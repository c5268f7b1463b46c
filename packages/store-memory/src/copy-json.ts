import type { JsonObject } from '@x/store';

/** Copies a JSON object as a database would, and freezes the copy through and through so that it can be shared. */
export function copyJson(original: JsonObject): JsonObject {
  const copy: JsonObject = JSON.parse(JSON.stringify(original), (_, value: unknown) => Object.freeze(value));
  return copy;
}
