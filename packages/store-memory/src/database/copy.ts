import type { JsonValue } from '@x/store';

/** Copies a date, because a `Date` is mutable. */
export function copyDate<Moment extends Date | null>(moment: Moment): Date | Extract<Moment, null>;
export function copyDate(moment: Date | null): Date | null {
  return moment && new Date(moment);
}

/** Copies a JSON value as a database would, and freezes the copy deeply so that it can be shared. */
export function copyJson<Json extends JsonValue>(original: Json): Json {
  const copy: Json = JSON.parse(JSON.stringify(original), (_, value: unknown) => Object.freeze(value));
  return copy;
}
