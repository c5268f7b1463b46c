import type { SortKey } from '@x/store';
import { type ComparableFields, findComparableField, invalidQuery } from './query-terms.ts';

const maxKeys = 8;

const place = ['orderBy'];

/** The order of a list if none is requested. */
export const defaultOrder: readonly SortKey[] = [{ column: 'id', direction: 'asc' }];

/**
 * Parses the parts of an order such as `createdAt:desc`. If they are not a total order, the primary key is added, in
 * the direction of the last part, so that an index serves both.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseOrder(fields: ComparableFields, parts: readonly string[]): readonly SortKey[] {
  if (parts.length > maxKeys) throw invalidQuery(place, `A list is ordered by at most ${maxKeys} fields.`);
  const keys = parts.map((part) => parseKey(fields, part));
  const columns = keys.map(({ column }) => column);
  if (new Set(columns).size < columns.length) throw invalidQuery(place, 'A field is named twice.');
  const last = keys.at(-1);
  if (!last) throw invalidQuery(place, 'A field is expected.');
  const id = columns.indexOf('id');
  return id < 0 ? [...keys, { column: 'id', direction: last.direction }] : keys.slice(0, id + 1);
}

function parseKey(fields: ComparableFields, part: string): SortKey {
  const colon = part.indexOf(':');
  const [column, direction] = colon < 0 ? [part, 'asc'] : [part.slice(0, colon), part.slice(colon + 1)];
  findComparableField(fields, column, place);
  if (direction === 'asc' || direction === 'desc') return { column, direction };
  throw invalidQuery([...place, column], 'The direction is asc or desc.');
}
