import {
  compareCodePoints,
  type EntityRecord,
  type EntityRow,
  type EntityTable,
  type EntityValue,
  type EntityValues,
  type JsonValue,
  parseIndexPart,
  storeConflict,
} from '@x/store';
import { compareDecimals, digestRow, type RowChange, uniqueKeys } from '@x/store/engine';
import { type MatchContext, matches } from '@x/store/where';
import { Table } from '../database/table.ts';
import { copyDate, copyJson, copyRow } from '../database/values.ts';

/** The rows of one entity, indexed by id, by each unique column and by each reference, and ordered by id. */
type EntityRows = Table<EntityRecord, string, string>;

/** Receives a row before and after a change; null if there is none. */
type ObserveRecord = (entity: EntityTable, before: EntityRow | null, after: EntityRow | null) => void;

/** A column of an entity that refers to rows of this one. */
interface Referent {
  readonly entity: string;
  readonly column: string;
  readonly onDelete: 'restrict' | 'cascade' | 'setNull';
}

/** The index that visits all rows by id, in a single group. No column has this name. */
export const byId = '';

/** The entities of a database, or of one transaction on it. A transaction creates its tables on demand. */
export class EntityTables {
  readonly #declared: ReadonlyMap<string, EntityTable>;
  readonly #below: EntityTables | undefined;
  readonly #rows = new Map<string, EntityRows>();
  #observe: ObserveRecord | undefined;

  constructor(declared: ReadonlyMap<string, EntityTable>, below?: EntityTables) {
    this.#declared = declared;
    this.#below = below;
  }

  /** @throws TypeError if no such entity is declared */
  declarationOf(entity: string): EntityTable {
    const declared = this.#declared.get(entity);
    if (!declared)
      throw new TypeError(
        `There is no entity ${entity}: open the stores with the needs of createServer, or with toEntityTables of its model.`,
      );
    return declared;
  }

  /** Calls a function with each record that changes from now on, at once. For tables with nothing below them. */
  observe(onChange: ObserveRecord): void {
    this.#observe = onChange;
  }

  rowsOf(entity: string): EntityRows {
    const known = this.#rows.get(entity);
    if (known) return known;
    const declared = this.declarationOf(entity);
    const rows = this.#below ? this.#below.rowsOf(entity).overlay() : createRows(declared);
    rows.observe((before, after) => this.#observe?.(declared, before?.row ?? null, after?.row ?? null));
    this.#rows.set(entity, rows);
    return rows;
  }

  /** Lists the columns that refer to rows of an entity. */
  referentsOf(entity: string): readonly Referent[] {
    return [...this.#declared.values()].flatMap(({ name, columns }) =>
      columns.flatMap(({ name: column, references }) =>
        references?.entity === entity ? [{ entity: name, column, onDelete: references.onDelete }] : [],
      ),
    );
  }

  overlay(): EntityTables {
    return new EntityTables(this.#declared, this);
  }

  commit(): void {
    for (const rows of this.#rows.values()) rows.commit();
  }
}

function createRows(table: EntityTable): EntityRows {
  const { columns } = table;
  const references = columns.filter((column) => column.references).map(({ name }) => name);
  const compareIds = toIdComparison(table);
  return new Table<EntityRecord, string, string>({
    keyOf: ({ row }) => row.id,
    unique: Object.fromEntries([
      ...uniqueKeys(table).map((key) => [String(key), ({ row }: EntityRecord) => toUniqueValue(key, row)] as const),
      ...partialKeys(table).map(({ name, valueOf }) => [name, ({ row }: EntityRecord) => valueOf(row)] as const),
    ]),
    ordered: Object.fromEntries(
      [byId, ...references].map((name) => [
        name,
        {
          groupOf: ({ row }: EntityRecord) => (name === byId ? byId : toIndexValue(row[name])),
          compare: (a: EntityRecord, b: EntityRecord) => compareIds(a.row.id, b.row.id),
        },
      ]),
    ),
  });
}

/** Returns how the ids of a table are sorted: integers by size, others by code points. */
export function toIdComparison({ key }: EntityTable): (a: string, b: string) => number {
  return key?.type === 'integer' ? compareDecimals : compareCodePoints;
}

/** Gives a row of a table without a column for its version the one that stands for its values. */
export function versioned(table: EntityTable, { row, version }: EntityRecord): EntityRecord {
  return { row, version: table.existing?.version === null ? digestRow(table, row) : version };
}

/** A unique key of some rows. */
interface PartialKey {
  /** The name of its index. No column has it. */
  readonly name: string;
  readonly columns: readonly string[];
  /** Returns null for any other row. */
  readonly valueOf: (row: EntityRow) => string | null;
}

/** Lists the unique keys that not every row of a table has. */
export function partialKeys({ columns: all, partialIndexes = [] }: EntityTable): readonly PartialKey[] {
  const decimals = new Set(all.filter(({ decimal }) => decimal).map(({ name }) => name));
  // Their conditions are about nothing but the row.
  const context: MatchContext = {
    isGranted: () => false,
    findRelated: () => undefined,
    isDecimal: (column) => decimals.has(column),
  };
  return partialIndexes.flatMap(({ columns: parts, where, unique }, at) => {
    const columns = parts.map((part) => parseIndexPart(part).column);
    const valueOf = (row: EntityRow): string | null =>
      matches(where, row, context) ? toUniqueValue(columns, row) : null;
    return unique ? [{ name: `partial ${at}`, columns, valueOf }] : [];
  });
}

/** Joins the values of a unique key; null if one of them is null, since any number of rows may have that. */
export function toUniqueValue(key: readonly string[], row: EntityValues): string | null {
  const values = key.map((name) => toIndexValue(row[name]));
  return values.includes(null) ? null : JSON.stringify(values);
}

/**
 * Converts a value to an index key that is unique within its column; null for null, of which there may be any number.
 */
export function toIndexValue(value: EntityValue | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Date ? String(value.getTime()) : String(value as string | number | boolean);
}

/**
 * Deletes rows, and all rows that cascade from them, directly or indirectly; others get null instead of the reference.
 * Returns all that it changed.
 *
 * @throws CodedError `CONFLICT`, without deleting anything, if a row that stays refers to one that would be deleted
 */
export function deleteWithReferents(
  entities: EntityTables,
  entity: string,
  ids: readonly string[],
): readonly RowChange[] {
  const deleted = new Map(ids.map((id) => [toKey(entity, id), { entity, id }]));
  const references: { readonly referent: Referent; readonly record: EntityRecord }[] = [];
  // A map's entries are visited in insertion order, including those added meanwhile.
  for (const { entity: target, id: targetId } of deleted.values()) {
    for (const referent of entities.referentsOf(target)) {
      for (const record of entities.rowsOf(referent.entity).select(referent.column, targetId)) {
        references.push({ referent, record });
        const recordId = record.row.id;
        const key = toKey(referent.entity, recordId);
        if (referent.onDelete === 'cascade') deleted.set(key, { entity: referent.entity, id: recordId });
      }
    }
  }
  const remaining = references.filter(({ referent, record }) => !deleted.has(toKey(referent.entity, record.row.id)));
  if (remaining.some(({ referent }) => referent.onDelete !== 'setNull')) throw storeConflict();
  for (const { referent, record } of remaining) setNull(entities, referent, record.row.id);
  for (const each of deleted.values()) entities.rowsOf(each.entity).delete(each.id);
  return [
    ...Array.from(deleted.values(), (each): RowChange => ({ type: 'record.deleted', ...each })),
    ...remaining.map(({ referent, record }): RowChange => ({
      type: 'record.updated',
      entity: referent.entity,
      id: record.row.id,
      fields: [referent.column],
    })),
  ];
}

/** Several references of a row may lose their rows, so it is read again for each. */
function setNull(entities: EntityTables, { entity, column }: Referent, id: string): void {
  const rows = entities.rowsOf(entity);
  const found = rows.get(id);
  const changed = found && { row: { ...found.row, [column]: null }, version: found.version + 1 };
  if (changed) rows.put(versioned(entities.declarationOf(entity), changed));
}

function toKey(entity: string, id: string): string {
  return `${entity}:${id}`;
}

/** Copies values as a database would; their JSON is frozen. */
export function copyEntityValues<Values extends EntityValues>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, copyValue(value)])) as Values;
}

/** Copies a record for a caller. JSON that is stored is frozen, so it is shared. */
export function copyRecord({ row, version }: EntityRecord): EntityRecord {
  return { row: copyRow(row), version };
}

function copyValue(value: EntityValue): EntityValue {
  if (value instanceof Date) return copyDate(value);
  return typeof value === 'object' && value !== null ? copyJson<JsonValue>(value) : value;
}
