import { CodedError } from '@x/errors';

/** Selects a page of a list. */
export interface PageRequest {
  /** The maximum number of items, 1 or more. */
  readonly limit: number;
  /** The `nextCursor` of the previous page; null for the first page. */
  readonly after: string | null;
}

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last page. Opaque. */
  readonly nextCursor: string | null;
}

/** The sort key of a list row: its time, and its id to break ties. */
export interface TimeKey {
  readonly at: Date;
  readonly id: string;
}

/** Converts a sort key to an opaque cursor. It contains nothing that the list does not show. */
function toCursor(key: TimeKey): string {
  return `${key.at.getTime().toString(36)}.${key.id}`;
}

/**
 * Parses a cursor made by {@link toCursor}.
 *
 * @throws CodedError `INVALID_QUERY` if the text is not a cursor
 */
export function parseCursor(cursor: string): TimeKey {
  const [, time = '', id = ''] = /^([0-9a-z]{1,10})\.([\w-]{1,64})$/.exec(cursor) ?? [];
  const at = new Date(Number.parseInt(time, 36));
  if (id === '' || Number.isNaN(at.getTime())) throw new CodedError('INVALID_QUERY', 'The cursor is not valid.');
  return { at, id };
}

/**
 * Builds a page from up to `limit + 1` rows; the extra one only indicates that there are more.
 *
 * @param keyOf - returns the sort key that the list is ordered by
 */
export function toPage<Item>(rows: readonly Item[], limit: number, keyOf: (item: Item) => TimeKey): Page<Item> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? toCursor(keyOf(last)) : null };
}
