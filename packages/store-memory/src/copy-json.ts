import type { JsonValue } from '@x/store';

/** Copies a JSON value as a database would, and freezes the copy deeply so that it can be shared. */
export function copyJson<Json extends JsonValue>(original: Json): Json {
  const copy: Json = JSON.parse(JSON.stringify(original), (_, value: unknown) => Object.freeze(value));
  return copy;
}
