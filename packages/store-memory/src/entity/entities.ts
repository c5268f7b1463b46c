import {
  type EntityChange,
  type EntityCondition,
  type EntityListing,
  type EntityPage,
  type EntityRecord,
  type EntityRow,
  type EntityStore,
  type EntityTable,
  type EntityValues,
  type NewEntityRow,
  type QueryBounds,
  type RelatedListing,
  type SortKey,
  storeConflict,
} from '@x/store';
import {
  assertReference,
  assertSortable,
  checkEntityRow,
  checkEntityValues,
  checkUniqueKey,
  compareSortKeys,
  isByRelated,
  logged,
  numericColumns,
  readSortCells,
  readSortKey,
  type Recorded,
  type RowChange,
  uniqueKeys,
} from '@x/store/engine';
import { type MatchContext, matches, type Where } from '@x/store/where';
import type { RoleTables } from '../access/read-paths.ts';
import { isGrantedIn } from '../access/role-assignments.ts';
import type { StepExecutor } from '../database/executor.ts';
import { take } from '../database/table.ts';
import { type EventTable, record } from '../events.ts';
import { aggregateRows } from './aggregate-rows.ts';
import {
  byId,
  copyEntityValues,
  copyRecord,
  deleteWithReferents,
  type EntityTables,
  partialKeys,
  toIdComparison,
  toIndexValue,
  toUniqueValue,
  versioned,
} from './entity-tables.ts';
import { limitSearch, type Visit } from './search-time.ts';

/** Creates the entity store. */
export function createEntityStore(executor: StepExecutor<EntityStoreTables>): EntityStore {
  const visit = (): Visit => limitSearch(executor.waitMs);
  return {
    list: async (entity, listing) => executor.read((tables) => list(tables, entity, listing, visit())),
    listRelated: async (entity, listing) => executor.read((tables) => listRelated(tables, entity, listing, visit())),
    count: async (entity, where) => executor.read((tables) => [...select(tables, entity, where, visit())].length),
    aggregate: async (entity, aggregation) =>
      executor.read((tables) => {
        const found = Array.from(select(tables, entity, aggregation.where, visit()), ({ row }) => row);
        return aggregateRows(tables.entities.declarationOf(entity), found, aggregation);
      }),
    get: async (entity, id, where) =>
      executor.read((tables) => {
        const found = find(tables, entity, id, { where });
        return found ? copyRecord(found) : null;
      }),
    // Transactions run one after another.
    lock: async (entity) => executor.read(({ entities }) => void entities.declarationOf(entity)),
    lockByKey: async (entity, key, where) => executor.read((tables) => findByKey(tables, entity, key, where)),
    create: async (entity, row, cause) => {
      // Copied first: the caller may change it while the step waits.
      const copy = copyEntityValues(row);
      return record(executor, cause, ({ entities }) => {
        const created = create(entities, entity, copy);
        return audited(entities, created, [{ type: 'record.created', entity, id: created.row.id }]);
      });
    },
    update: async (entity, id, change, cause) => {
      const values = copyEntityValues(change.values);
      return record(executor, cause, (tables) => {
        const updated = update(tables, entity, id, { ...change, values });
        return audited(tables.entities, updated, toUpdates(entity, updated ? [id] : [], values));
      });
    },
    updateAll: async (entity, { where, values: given }, cause) => {
      const values = copyEntityValues(given);
      return record(executor, cause, (tables) => {
        const ids = updateAll(tables, entity, { where, values }, visit());
        return audited(tables.entities, ids.length, toUpdates(entity, ids, values));
      });
    },
    delete: async (entity, id, condition, cause) =>
      record(executor, cause, (tables) => {
        const found = find(tables, entity, id, condition);
        if (!found) return { outcome: null, recorded: [] };
        return audited(tables.entities, found, deleteWithReferents(tables.entities, entity, [id]));
      }),
    deleteAll: async (entity, where, cause) =>
      record(executor, cause, (tables) => {
        const ids = Array.from(select(tables, entity, where, visit()), ({ row }) => row.id);
        return audited(tables.entities, ids.length, deleteWithReferents(tables.entities, entity, ids));
      }),
  };
}

function toUpdates(entity: string, ids: readonly string[], values: EntityValues): readonly RowChange[] {
  return ids.map((id) => ({ type: 'record.updated', entity, id, fields: Object.keys(values) }));
}

/** Logs those of some changes whose entities are audited. */
function audited<Outcome>(entities: EntityTables, outcome: Outcome, changes: readonly RowChange[]): Recorded<Outcome> {
  return { outcome, recorded: logged.rows(changes.filter(({ entity }) => entities.declarationOf(entity).audit)) };
}

/** The tables of the store of entities: their rows, and the roles that conditions may ask for. */
interface EntityStoreTables extends RoleTables {
  readonly entities: EntityTables;
  readonly events: EventTable;
}

/** Visits all rows by id and selects those that satisfy a condition. */
function select(tables: EntityStoreTables, entity: string, where: Where, visit: Visit): Iterable<EntityRecord> {
  return pick(contextOf(tables, entity), visit(tables.entities.rowsOf(entity).select(byId, byId)), where);
}

/** Returns the lookups that conditions on rows of an entity need. */
function contextOf(tables: EntityStoreTables, entity: string): MatchContext {
  return {
    isGranted: isGrantedIn(tables),
    isDecimal: isDecimalOf(tables, entity),
    findRelated(other, id) {
      const found = tables.entities.rowsOf(other).get(id);
      return found && { row: found.row, context: contextOf(tables, other) };
    },
  };
}

function isDecimalOf({ entities }: EntityStoreTables, entity: string): (column: string) => boolean {
  const decimals = numericColumns(entities.declarationOf(entity), (other) => entities.declarationOf(other));
  return (column) => decimals.has(column);
}

function* pick(context: MatchContext, records: Iterable<EntityRecord>, where: Where): Generator<EntityRecord> {
  for (const each of records) if (matches(where, each.row, context)) yield each;
}

function list(tables: EntityStoreTables, entity: string, listing: EntityListing, visit: Visit): EntityPage {
  assertSortable(tables.entities.declarationOf(entity), listing.order, (other) => tables.entities.declarationOf(other));
  const { limit, bounds } = listing;
  const [first] = listing.order;
  const isById = first?.column === 'id' && first.direction === 'asc' && !first.through;
  const oneMore = { ...listing, limit: limit + 1 };
  const found = isById ? listById(tables, entity, oneMore, visit) : listSorted(tables, entity, oneMore, visit);
  const page = toPage(found, { ...bounds, limit });
  if (!isByRelated(listing.order)) return page;
  const context = contextOf(tables, entity);
  return { ...page, keys: page.records.map(({ row }) => readSortCells(listing.order, row, context)) };
}

function toPage(
  found: readonly EntityRecord[],
  { limit = Infinity, maxCharacters = Infinity, uncounted }: QueryBounds & { readonly limit?: number },
): EntityPage {
  let characters = 0;
  const end = found.findIndex(({ row }, index) => {
    const isOver = index >= limit || characters >= maxCharacters;
    if (maxCharacters < Infinity) characters += countCharacters(row, uncounted);
    return isOver;
  });
  const records = found.slice(0, end < 0 ? undefined : end).map((record) => copyRecord(record));
  return { records, hasMore: end >= 0 };
}

function countCharacters(row: EntityRow, uncounted: QueryBounds['uncounted']): number {
  return Object.entries(row).reduce((sum: number, [name, cell]) => {
    if (uncounted?.has(name)) return sum;
    if (typeof cell === 'string') return sum + cell.length;
    return typeof cell === 'object' && cell !== null ? sum + JSON.stringify(cell).length : sum;
  }, 0);
}

/** Walks the rows in the order in which they are stored, from where the list continues. */
function listById(
  tables: EntityStoreTables,
  entity: string,
  { where, after, limit }: EntityListing,
  visit: Visit,
): readonly EntityRecord[] {
  const last = after?.[0];
  const compare = toIdComparison(tables.entities.declarationOf(entity));
  const isBefore = ({ row }: EntityRecord): boolean => typeof last === 'string' && compare(row.id, last) <= 0;
  return take(
    pick(contextOf(tables, entity), visit(tables.entities.rowsOf(entity).select(byId, byId, isBefore)), where),
    limit,
  );
}

function listSorted(
  tables: EntityStoreTables,
  entity: string,
  { where, order, after, limit }: EntityListing,
  visit: Visit,
): readonly EntityRecord[] {
  const context = contextOf(tables, entity);
  const isDecimal = ({ column, through }: SortKey): boolean => isDecimalOf(tables, through?.entity ?? entity)(column);
  const found = Array.from(select(tables, entity, where, visit), (record) => ({
    record,
    key: readSortKey(order, record.row, context),
  }));
  return found
    .filter(({ key }) => after === null || compareSortKeys(order, key, after, isDecimal) > 0)
    .toSorted((a, b) => compareSortKeys(order, a.key, b.key, isDecimal))
    .slice(0, limit)
    .map(({ record }) => record);
}

function listRelated(
  tables: EntityStoreTables,
  entity: string,
  { column, values, where, limitEach, bounds = {} }: RelatedListing,
  visit: Visit,
): EntityPage {
  assertReference(tables.entities.declarationOf(entity), column);
  const rows = tables.entities.rowsOf(entity);
  const recordsOf = (value: string): Iterable<EntityRecord> => {
    const only = column === 'id' ? rows.get(value) : undefined;
    return column === 'id' ? (only ? [only] : []) : rows.select(column, value);
  };
  const context = contextOf(tables, entity);
  const found = [...new Set(values)].flatMap((value) => take(pick(context, visit(recordsOf(value)), where), limitEach));
  return toPage(found, bounds);
}

function find(
  tables: EntityStoreTables,
  entity: string,
  id: string,
  { where, version }: EntityCondition,
): EntityRecord | undefined {
  const record = tables.entities.rowsOf(entity).get(id);
  if (!record || (version !== undefined && record.version !== version)) return undefined;
  return matches(where, record.row, contextOf(tables, entity)) ? record : undefined;
}

function findByKey(tables: EntityStoreTables, entity: string, key: EntityValues, where: Where): EntityRecord | null {
  const table = tables.entities.declarationOf(entity);
  const values = checkUniqueKey(table, key);
  const columns = uniqueKeys(table).find((each) => each.every((name) => Object.hasOwn(values, name))) ?? [];
  const value = toUniqueValue(columns, values);
  const found = value === null ? undefined : tables.entities.rowsOf(entity).find(String(columns), value);
  return found && matches(where, found.row, contextOf(tables, entity)) ? copyRecord(found) : null;
}

function create(entities: EntityTables, entity: string, given: NewEntityRow): EntityRecord {
  const table = entities.declarationOf(entity);
  const checked = checkEntityRow(table, given);
  const row = { ...checked, id: checked.id ?? makeId(entities, table) };
  if (entities.rowsOf(entity).get(row.id)) throw storeConflict({ columns: ['id'] });
  return put(entities, entity, { row, version: 1 });
}

/** Makes the id of a row that has none, as a database would. */
function makeId(entities: EntityTables, { name, key }: EntityTable): string {
  const rows = entities.rowsOf(name);
  if (key?.type === 'integer') {
    const ids = Array.from(rows.select(byId, byId), ({ row }) => BigInt(row.id));
    return String(ids.reduce((last, id) => (id > last ? id : last), 0n) + 1n);
  }
  for (let number = 1; ; number += 1) {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    if (!rows.get(id)) return id;
  }
}

function update(tables: EntityStoreTables, entity: string, id: string, change: EntityChange): EntityRecord | null {
  const values = checkEntityValues(tables.entities.declarationOf(entity), change.values);
  const found = find(tables, entity, id, change);
  if (!found) return null;
  return put(tables.entities, entity, { row: { ...found.row, ...values }, version: found.version + 1 });
}

function updateAll(
  tables: EntityStoreTables,
  entity: string,
  { where, values: given }: Pick<EntityChange, 'where' | 'values'>,
  visit: Visit,
): readonly string[] {
  const values = checkEntityValues(tables.entities.declarationOf(entity), given);
  const found = Array.from(select(tables, entity, where, visit));
  // If one of them conflicts, none is changed.
  const changed = tables.entities.overlay();
  for (const { row, version } of found) put(changed, entity, { row: { ...row, ...values }, version: version + 1 });
  changed.commit();
  return found.map(({ row }) => row.id);
}

/** Stores a row, unless it conflicts with another. */
function put(entities: EntityTables, entity: string, record: EntityRecord): EntityRecord {
  const rows = entities.rowsOf(entity);
  const { id } = record.row;
  const table = entities.declarationOf(entity);
  for (const key of uniqueKeys(table)) {
    const value = toUniqueValue(key, record.row);
    const holder = value === null ? undefined : rows.find(String(key), value);
    if (holder && holder.row.id !== id) throw storeConflict({ columns: key });
  }
  for (const { name, columns, valueOf } of partialKeys(table)) {
    const value = valueOf(record.row);
    const holder = value === null ? undefined : rows.find(name, value);
    if (holder && holder.row.id !== id) throw storeConflict({ columns });
  }
  for (const { name, references } of table.columns) {
    const value = references ? toIndexValue(record.row[name]) : null;
    if (value === null) continue;
    const isOwn = references?.entity === entity && value === id;
    if (references && !isOwn && !entities.rowsOf(references.entity).get(value)) throw storeConflict();
  }
  const stored = versioned(table, record);
  rows.put(stored);
  return copyRecord(stored);
}
