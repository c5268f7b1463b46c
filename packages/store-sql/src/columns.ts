import type { JsonObject } from '@x/store';

import type { SqlRow, SqlValue } from './sql-executor.ts';

/** Columns of a table in one order, and how their cells become a record. */
export interface Columns<Stored extends object> {
  /** The names, for `SELECT`, `RETURNING` and `INSERT INTO table (…)`. */
  readonly names: string;

  /** A placeholder for each, for `VALUES (…)`: `$1, $2, …` */
  readonly placeholders: string;

  /** Returns the placeholder of one field. */
  placeholderOf(field: keyof Stored): string;

  /** Converts a record to the values of the placeholders. */
  encode(record: Stored): readonly SqlValue[];

  /** Converts a record now, except for the fields that `late` gives when the statement runs. */
  bind<Late extends keyof Stored>(
    record: Omit<Stored, Late>,
    late: () => Pick<Stored, Late>,
  ): () => readonly SqlValue[];

  /** Converts a row to the record. */
  readonly decode: (row: SqlRow) => Stored;

  /** Converts the rows of a statement that finds or changes at most one. */
  decodeFirst(rows: readonly SqlRow[]): Stored | null;

  /** The same columns in a join, where their table is called `alias`. */
  as(alias: string): JoinedColumns<Stored>;
}

/** Columns under names that are unique in a join: those of `s` begin with `s_`. */
type JoinedColumns<Stored extends object> = Pick<Columns<Stored>, 'names' | 'decode'>;

/**
 * Declares columns by the function that converts their cells: it is called once with a row that notes what is read. So
 * a column is named in one place, and rows are converted as fast as by hand, into objects of one shape.
 *
 * ```ts
 * const tokenColumns = defineColumns((row): Token => ({
 *   userId: text(row['user_id']),
 *   expiresAt: moment(row['expires_at']),
 * }));
 * const insertToken = `INSERT INTO tokens (${tokenColumns.names}) VALUES (${tokenColumns.placeholders})`;
 * ```
 *
 * @param decode - returns a literal in which each field reads one column of its own
 */
export function defineColumns<Stored extends object>(decode: (row: SqlRow) => Stored): Columns<Stored> {
  const { fields, names } = readDeclaration(decode);
  const placeholders = fields.map((_, index) => `$${index + 1}`);
  const encode = (record: Stored): readonly SqlValue[] => fields.map((field) => toSqlValue(record[field]));
  return {
    names: names.join(', '),
    placeholders: placeholders.join(', '),
    placeholderOf: (field) => `$${fields.indexOf(field) + 1}`,
    encode,
    bind(record, late) {
      const early = encode(record as Stored);
      return () => {
        const given = late() as Partial<Stored>;
        return fields.map((field, index) => (field in given ? toSqlValue(given[field]) : (early[index] as SqlValue)));
      };
    },
    decode,
    decodeFirst: ([row]) => (row ? decode(row) : null),
    as: (alias) => joinColumns(alias, names, decode),
  };
}

/** A literal is evaluated from top to bottom, so the columns are read in the order of the fields. */
function readDeclaration<Stored extends object>(
  decode: (row: SqlRow) => Stored,
): { readonly fields: readonly (keyof Stored)[]; readonly names: readonly string[] } {
  const names = new Set<string>();
  const noting = new Proxy<SqlRow>({}, { get: (_, name) => (names.add(String(name)), null) });
  const fields = Object.keys(decode(noting)) as (keyof Stored)[];
  if (fields.length !== names.size) throw new TypeError('Each field must read one column of its own.');
  return { fields, names: [...names] };
}

function joinColumns<Stored extends object>(
  alias: string,
  names: readonly string[],
  decode: (row: SqlRow) => Stored,
): JoinedColumns<Stored> {
  const columns = names.map((name) => ({ name, joined: `${alias}_${name}` }));
  const empty = Object.fromEntries(names.map((name) => [name, null]));
  return {
    names: columns.map(({ name, joined }) => `${alias}.${name} AS ${joined}`).join(', '),
    decode(row) {
      // Filling in a copy is faster than building a row up.
      const own: Record<string, unknown> = { ...empty };
      for (const { name, joined } of columns) own[name] = row[joined];
      return decode(own);
    },
  };
}

function toSqlValue(value: unknown): SqlValue {
  if (value instanceof Date) return value.getTime();
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
}

// Engines return different cells: 64-bit integers and moments may come as decimal text, booleans as 0 and 1.

/** Reads a text, which may be an id. */
export function text<Value extends string>(cell: unknown): Value {
  return cell as Value;
}

/** Reads a text or null. */
export function textOrNull<Value extends string>(cell: unknown): Value | null {
  return cell as Value | null;
}

/** Reads an integer. */
export function integer(cell: unknown): number {
  return Number(cell);
}

/** Reads a boolean. */
export function boolean(cell: unknown): boolean {
  return Boolean(cell);
}

/** Reads a moment, which is stored in milliseconds. */
export function moment(cell: unknown): Date {
  return new Date(Number(cell));
}

/** Reads a moment or null. */
export function momentOrNull(cell: unknown): Date | null {
  return cell === null ? null : new Date(Number(cell));
}

/** Reads a JSON object, or another JSON value if the caller says so. */
export function json<Value extends object = JsonObject>(cell: unknown): Value {
  return JSON.parse(cell as string) as Value;
}
