import type { SortKey } from '@x/store';
import type { WhereValue } from '@x/store/where';
import type { Field } from '../model/field.ts';
import type { Model } from '../model/model.ts';
import { coerceValue, invalidQuery } from './query-terms.ts';

/**
 * Builds the opaque cursor of the page after a record. It contains the record's sort key, which the caller may see
 * anyway, and the order it belongs to.
 */
export function toListCursor(order: readonly SortKey[], record: Readonly<Record<string, unknown>>): string {
  const key = order.map(({ column }) => toKeyPart(record[column]));
  return Buffer.from(JSON.stringify([toSignature(order), ...key])).toString('base64url');
}

/**
 * Parses a cursor made by {@link toListCursor} to the sort key in it. A forged cursor is refused, or denotes a position
 * in a list that the caller may read anyway.
 *
 * @throws CodedError `INVALID_QUERY` if it is not a cursor, or is one for another order
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
