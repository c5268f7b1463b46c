import type { JsonValue } from '@x/store';
import type { TimeKey } from '@x/store/engine';

/** Compares ASCII texts such as ids by code point, as `COLLATE "C"` does. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Sorts the newest first, then by id. */
export function compareNewest(a: TimeKey, b: TimeKey): number {
  return b.at.getTime() - a.at.getTime() || compareText(a.id, b.id);
}

/** Copies a date, because a `Date` is mutable. */
export function copyDate<Moment extends Date | null>(moment: Moment): Date | Extract<Moment, null>;
export function copyDate(moment: Date | null): Date | null {
  return moment && new Date(moment);
}

/** Copies a row of single values, each `Date` in it, too. */
export function copyRow<Row extends object>(row: Row): Row {
  const cells = Object.entries(row).map(([name, value]) => [name, value instanceof Date ? copyDate(value) : value]);
  return Object.fromEntries(cells) as Row;
}

/** Copies a JSON value as a database would, and freezes the copy deeply so that it can be shared. */
export function copyJson<Json extends JsonValue>(original: Json): Json {
  const copy: Json = JSON.parse(JSON.stringify(original), (_, value: unknown) => Object.freeze(value));
  return copy;
}
