import type { SortKey, WhereValue } from '@x/store';
import type { Field } from '../field/field.ts';
import type { Model } from '../model/model.ts';
import { coerceValue } from './coerce-value.ts';
import { invalidQuery } from './invalid-query.ts';

/**
 * Builds the opaque cursor of the page after a record. It holds the record's sort key, which the caller may see anyway,
 * and the order that it is a key of.
 */
export function toListCursor(order: readonly SortKey[], record: Readonly<Record<string, unknown>>): string {
  const key = order.map(({ column }) => toKeyPart(record[column]));
  return Buffer.from(JSON.stringify([toSignature(order), ...key])).toString('base64url');
}

/**
 * Parses a cursor made by {@link toListCursor} to the sort key in it. One that somebody made up is refused, or is a place
 * in a list that they may read.
 *
 * @throws CodedError `INVALID_QUERY` where it is none, or one of another order
 */
export function parseListCursor(
  model: Model,
  order: readonly SortKey[],
  cursor: string,
): readonly (WhereValue | null)[] {
  const [signature, ...key] = decode(cursor);
  if (signature !== toSignature(order) || key.length !== order.length) throw invalidCursor();
  return order.map(({ column }, index) => parseKeyPart(model.allFields.get(column), key[index]));
}

function toSignature(order: readonly SortKey[]): string {
  return order.map(({ column, direction }) => `${column}:${direction}`).join(',');
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

function parseKeyPart(field: Field | undefined, part: unknown): WhereValue | null {
  if (part === null && field?.options.nullable) return null;
  const value = field && coerceValue(field, part);
  if (value === undefined) throw invalidCursor();
  return value;
}

function invalidCursor(): Error {
  return invalidQuery(['after'], 'The cursor is not one of this list and order.');
}
