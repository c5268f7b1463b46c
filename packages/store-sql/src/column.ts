import type { JsonObject } from '@x/store';

/** An integer column as engines return it: 64-bit integers may come as decimal text. */
export type IntegerColumn = number | string;

/** A boolean column as engines return it. */
export type BooleanColumn = boolean | number;

/** A JSON column as engines return it: its text, or parsed. */
export type JsonColumn = string | JsonObject;

/** A JSON column of a list as engines return it: its text, or parsed. */
export type ListColumn<Item> = string | readonly Item[];

/** Converts a column of milliseconds to a date. */
export function toDate(column: IntegerColumn): Date {
  return new Date(Number(column));
}

/** Converts a column of milliseconds, or null, to a date, or null. */
export function toDateOrNull(column: IntegerColumn | null): Date | null {
  return column === null ? null : toDate(column);
}

/** Converts a date, or null, to the milliseconds stored in its column. */
export function toMillisecondsOrNull(moment: Date | null): number | null {
  return moment === null ? null : moment.getTime();
}

/** Converts a JSON column to its object. */
export function toJsonObject(column: JsonColumn): JsonObject {
  return typeof column === 'string' ? (JSON.parse(column) as JsonObject) : column;
}

/** Converts a JSON column to its list. */
export function toList<Item>(column: ListColumn<Item>): readonly Item[] {
  return typeof column === 'string' ? (JSON.parse(column) as readonly Item[]) : column;
}
