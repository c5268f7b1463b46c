import type { SortKey } from '@x/store';
import type { WhereValue } from '@x/store/where';
import type { Field } from '../model/field.ts';
import { coerceValue } from '../model/coerce-value.ts';
import { type ComparableFields, invalidQuery } from './query-terms.ts';

/**
 * Builds the opaque cursor of the page after a record. It contains the values that the record is sorted by, which the
 * caller may see anyway, and the order they belong to.
 *
 * @param values - those of an order that leads to related records. Default: the record's own
 */
export function toListCursor(
  order: readonly SortKey[],
  record: Readonly<Record<string, unknown>>,
  values: readonly unknown[] = order.map(({ column }) => record[column]),
): string {
  const key = values.map(toKeyPart);
  return Buffer.from(JSON.stringify([toSignature(order), ...key])).toString('base64url');
}

/**
 * Parses a cursor made by {@link toListCursor} to the sort key in it. A forged cursor is refused, or denotes a position
 * in a list that the caller may read anyway.
 *
 * @throws CodedError `INVALID_QUERY` if it is not a cursor, or is one for another order
 */
export function parseListCursor(
  { model, findRelated }: Pick<ComparableFields, 'model' | 'findRelated'>,
  order: readonly SortKey[],
  cursor: string,
): readonly (WhereValue | null)[] {
  const [signature, ...key] = decode(cursor);
  if (signature !== toSignature(order) || key.length !== order.length) throw invalidCursor();
  return order.map(({ column, through }, index) => {
    const { allFields } = through ? (findRelated(through.entity)?.model ?? model) : model;
    const field = allFields.get(column);
    // In a table that is there without us, a cell may be no value of its field, and is shown as null then.
    const mayBeNull = through !== undefined || model.existing !== null || field?.options.nullable === true;
    return key[index] === null && mayBeNull ? null : parseKeyPart(field, key[index]);
  });
}

function toSignature(order: readonly SortKey[]): string {
  return order.map((key) => `${toOrderPath(key)}:${key.direction}`).join(',');
}

/** Names what a part of an order is about; no two parts of one order have the same name. */
export function toOrderPath({ column, through }: SortKey): string {
  return through ? `${through.column}.${column}` : column;
}

function toKeyPart(cell: unknown): unknown {
  return cell instanceof Date ? cell.toISOString() : cell;
}

function decode(cursor: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}

/**
 * A cell is a position in its own spelling, even where no filter takes it: an enum may have had the value before, and a
 * table that is there without us has ids of any length, and in capitals.
 */
function parseKeyPart(field: Field | undefined, part: unknown): WhereValue {
  const isAnyText = field?.type === 'enum' || field?.key === 'text';
  const value = field && coerceValue(isAnyText ? anyText : field, part);
  if (value === undefined) throw invalidCursor();
  return field?.type === 'uuid' && typeof part === 'string' ? part : value;
}

const anyText: Field = { type: 'text', options: {} };

function invalidCursor(): Error {
  return invalidQuery(['after'], 'The cursor is not one of this list and order.');
}
