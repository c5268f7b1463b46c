import { type DecimalSize, toDecimal } from '../decimal.ts';
import { assertStorableText, isStorableText } from '../values.ts';
import type { Where } from '../where/where.ts';
import type { EntityValue, EntityValues, NewEntityRow } from './entities.ts';
import type { SortKey } from './sort-key.ts';

/**
 * The type of a column. `integer` are safe integers, `number` are finite, `timestamp` are dates in whole milliseconds,
 * `json` is any JSON value except null and can't be compared. `decimal` are texts such as `-12.50`, which compare by
 * size and are returned with all digits that the column has after the point; `date` are days such as `2026-01-31`.
 */
export type ColumnType = 'text' | 'integer' | 'number' | 'decimal' | 'boolean' | 'timestamp' | 'date' | 'json';

/** One column of an entity's table. Its name matches `/^[a-z][A-Za-z0-9]{0,39}$/`. */
export interface EntityColumn {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
  /** Of a decimal, and only of one. */
  readonly decimal?: DecimalSize;
  /**
   * The value for rows that were stored before the column existed; `'now'` for a timestamp is the moment it was added.
   */
  readonly default?: Exclude<EntityValue, null>;
  /** The value for such rows instead of the default, and for rows with null once the column may not be null. */
  readonly backfill?: Exclude<EntityValue, null>;
  /** The column whose values such rows get instead, those of its null aside. It may be one that is no longer declared. */
  readonly backfillFrom?: string;
  /** The only values of a text; missing if it may be any. */
  readonly values?: readonly string[];
  /** The replacements of values that are no longer among {@link values}, in rows that have them. */
  readonly replacedValues?: Readonly<Record<string, string>>;
  /**
   * Converts a value that is not null, from before the column had this type, reference or {@link values}. It must have
   * the same result whenever it is called.
   */
  readonly convert?: (old: Exclude<EntityValue, null>) => EntityValue;
  /** No two rows may have the same value; any number may have null. */
  readonly unique?: boolean;
  readonly references?: EntityReference;
  /** The name of the column in an earlier declaration. Not that of another column, which would lose its values. */
  readonly renamedFrom?: string;
}

/** The entity that a text column refers to by id. */
export interface EntityReference {
  readonly entity: string;
  /**
   * The effect on a row when the one it refers to is deleted: it is deleted too, prevents the deletion, or has null
   * instead, which raises its version.
   */
  readonly onDelete: 'restrict' | 'cascade' | 'setNull';
}

/**
 * How the ids of a table are stored. To the stores they are texts, with one spelling for each id: 64-bit integers are
 * decimal, and sorted by size; uuids are in lower case.
 */
export interface EntityKey {
  readonly type: 'text' | 'integer' | 'uuid';
  /** Whether the database makes the id of a row that has none. Default: false. */
  readonly isGenerated?: boolean;
}

/** A table or view that is in the database without us. `migrate()` compares it with its declaration, and leaves it. */
export interface ExistingTable {
  /** Its name, after that of its schema if that is not the default one: `legacy.customers`. */
  readonly table: string;
  /** The names that columns have there, `id` among them, by those declared. Default: in snake case, `owner_id`. */
  readonly columnNames: Readonly<Record<string, string>>;
  /** An integer column that each change raises; null if there is none: then the version of a row is a digest of it. */
  readonly version: string | null;
  /** Whether rows are never written, such as those of a view. */
  readonly isReadOnly: boolean;
}

/**
 * The table of one entity, as an app declares it; its name matches `/^[a-z][a-z0-9-]{0,39}$/`. Every table also has the
 * column `id`, its primary key, and a version that is not part of rows.
 */
export interface EntityTable {
  readonly name: string;
  /** Default: texts that the app makes. Only an existing table has another key. */
  readonly key?: EntityKey;
  /** Default: the table is one that `migrate()` creates. A store in memory keeps rows of both kinds. */
  readonly existing?: ExistingTable;
  /** All columns except the id. */
  readonly columns: readonly EntityColumn[];
  /**
   * Groups of columns that rows are looked up by together, in the order of the index: `createdAt:desc` is sorted down.
   * Ids, references and unique columns always have an index.
   */
  readonly indexes: readonly (readonly string[])[];
  /** Groups of columns whose values no two rows have together; any number may have null in one of them. */
  readonly unique?: readonly (readonly string[])[];
  /** Indexes of those rows alone that satisfy a condition. */
  readonly partialIndexes?: readonly PartialIndex[];
  /** The name of the table in an earlier declaration. */
  readonly renamedFrom?: string;
  /** Whether each change of its rows is logged, those by a cascade included. Default: false. */
  readonly audit?: boolean;
}

/** An index of some rows. */
export interface PartialIndex {
  /** As those of other indexes: `createdAt:desc` is sorted down. */
  readonly columns: readonly string[];
  /** Which rows it contains: comparisons with values, lists of them and `isNull`, joined and negated. */
  readonly where: Where;
  /** No two of these rows have the same values; any number may have null in one of them. Default: false. */
  readonly unique?: boolean;
}

/** A column of an index, and how it is sorted there. */
export function parseIndexPart(part: string): { readonly column: string; readonly isDescending: boolean } {
  const isDescending = part.endsWith(':desc');
  return { column: isDescending ? part.slice(0, -':desc'.length) : part, isDescending };
}

/** Lists the groups of columns whose values are unique among rows: single columns, then those declared together. */
export function uniqueKeys({ columns, unique = [] }: EntityTable): readonly (readonly string[])[] {
  return [...columns.filter((column) => column.unique).map(({ name }) => [name]), ...unique];
}

/** Says whether a text is the one spelling of an id that a table may have. */
export function isEntityId({ type }: EntityKey = textKey, id: string): boolean {
  if (type === 'uuid') return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);
  if (type === 'integer') return /^(0|-?[1-9]\d{0,18})$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id);
  return isStorableText(id);
}

const textKey: EntityKey = { type: 'text' };

/**
 * Lists the columns of a table whose texts are numbers, and compare by size: decimals, integer ids, and references to
 * these.
 *
 * @param tableOf - returns the table of another entity
 */
export function numericColumns(table: EntityTable, tableOf: (entity: string) => EntityTable): ReadonlySet<string> {
  const isNumeric = ({ decimal, references }: EntityColumn): boolean =>
    decimal !== undefined || (references !== undefined && tableOf(references.entity).key?.type === 'integer');
  const own = table.key?.type === 'integer' ? ['id'] : [];
  return new Set([...own, ...table.columns.filter(isNumeric).map(({ name }) => name)]);
}

/**
 * Validates a new row against its table and returns it with every column; missing ones are null.
 *
 * @throws TypeError if the table can't store it
 */
export function checkEntityRow(table: EntityTable, row: NewEntityRow): NewEntityRow {
  if (typeof row.id === 'string') assertStorableText(row.id, ['id']);
  if (row.id === undefined ? !table.key?.isGenerated : !isEntityId(table.key, row.id)) {
    throw new TypeError(`A row of ${table.name} needs an id.`);
  }
  if (table.existing?.isReadOnly) throw new TypeError(`Rows of ${table.name} can't be written.`);
  const names = new Set(['id', ...table.columns.map(({ name }) => name)]);
  assertKnown(table, row, names);
  const cells = table.columns.map(
    (column) => [column.name, checkCell(table, column, row[column.name] ?? null)] as const,
  );
  return { ...(row.id !== undefined && { id: row.id }), ...Object.fromEntries(cells) };
}

/**
 * Validates new values for some columns of a row, and returns them.
 *
 * @throws TypeError if the table can't store them, or if there are none
 */
export function checkEntityValues(table: EntityTable, values: EntityValues): EntityValues {
  if (table.existing?.isReadOnly) throw new TypeError(`Rows of ${table.name} can't be written.`);
  const changed = table.columns.filter(({ name }) => Object.hasOwn(values, name));
  if (changed.length === 0) throw new TypeError(`A change of ${table.name} needs a column.`);
  assertKnown(table, values, new Set(changed.map(({ name }) => name)));
  return Object.fromEntries(
    changed.map((column) => [column.name, checkCell(table, column, values[column.name] ?? null)]),
  );
}

/**
 * Validates the values of a unique key, and returns them.
 *
 * @throws TypeError if they are not one value that the table can store for each column of such a key
 */
export function checkUniqueKey(table: EntityTable, key: EntityValues): EntityValues {
  const names = Object.keys(key);
  const isUnique = uniqueKeys(table).some(
    (columns) => columns.length === names.length && columns.every((name) => Object.hasOwn(key, name)),
  );
  const values = checkEntityValues(table, key);
  if (isUnique && !Object.values(values).includes(null)) return values;
  throw new TypeError(`${table.name} has no unique key ${names.join(', ')} with these values.`);
}

/**
 * Asserts that related rows can be listed by a column: it is a reference, or the id.
 *
 * @throws TypeError
 */
export function assertReference({ name, columns }: EntityTable, column: string): void {
  const isReference = column === 'id' || columns.some((each) => each.name === column && each.references);
  if (!isReference) throw new TypeError(`${name} has no reference ${column}.`);
}

/**
 * Asserts that rows can be sorted by an order: each column exists and can be compared, and each step to another entity
 * is a reference to it.
 *
 * @param tableOf - returns the table of another entity
 * @throws TypeError
 */
export function assertSortable(
  table: EntityTable,
  order: readonly SortKey[],
  tableOf: (entity: string) => EntityTable,
): void {
  for (const { column, through } of order) {
    const isReference = ({ name, references }: EntityColumn): boolean =>
      name === through?.column && references?.entity === through.entity;
    const { name, columns } = through && table.columns.some(isReference) ? tableOf(through.entity) : table;
    const isSortable = column === 'id' || columns.some((each) => each.name === column && each.type !== 'json');
    if (!isSortable || (through && !table.columns.some(isReference))) {
      throw new TypeError(`Rows of ${name} can't be ordered by ${column}.`);
    }
  }
}

function assertKnown({ name }: EntityTable, row: object, names: ReadonlySet<string>): void {
  const unknown = Object.keys(row).find((each) => !names.has(each));
  if (unknown !== undefined) throw new TypeError(`${name} has no column ${unknown} that can be written.`);
}

function checkCell(table: EntityTable, column: EntityColumn, value: EntityValue): EntityValue {
  const { name, type, nullable, decimal } = column;
  if (type === 'text' && typeof value === 'string') assertStorableText(value, [name]);
  const cell = decimal && typeof value === 'string' ? toDecimal(value, decimal) : value;
  if (cell !== undefined && (cell === null ? nullable : fits[type](cell))) return cell === 0 ? 0 : cell;
  throw new TypeError(`The column ${name} of ${table.name} can't hold this.`);
}

/** Says whether a text is a day of the years 1 to 9999: `2026-01-31`. */
export function isDate(text: unknown): boolean {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text) || text < '0001') return false;
  const day = new Date(`${text}T00:00:00Z`);
  // The parser takes the 31st of any month for the first of the next one.
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

const fits: Readonly<Record<ColumnType, (value: EntityValue) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  decimal: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  date: isDate,
  timestamp: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
  json: (value) => !(value instanceof Date),
};
