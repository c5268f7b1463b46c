import {
  assertReference,
  assertSortable,
  checkEntityRow,
  checkEntityValues,
  compareSortKeys,
  compareCodePoints,
  type EntityChange,
  type EntityCondition,
  type EntityListing,
  type EntityRecord,
  type EntityRow,
  type EntityStore,
  matches,
  readSortKey,
  type RelatedListing,
  storeConflict,
  type Where,
} from '@x/store';
import { copyEntityValues, copyRecord } from './copy-entity-row.ts';
import { deleteWithReferents } from './delete-with-referents.ts';
import { byId, type EntityTables, toIndexValue } from './entity-tables.ts';
import { resolveHeld } from './resolve-held.ts';
import type { Scope } from './scope.ts';
import type { Tables } from './tables.ts';
import { take } from './take.ts';

/** Creates the entity store of a scope. */
export function createEntityStore(scope: Scope): EntityStore {
  return {
    list: async (entity, listing) => scope.read((tables) => list(tables.entities, entity, resolveIn(tables, listing))),
    listRelated: async (entity, listing) =>
      scope.read((tables) => listRelated(tables.entities, entity, resolveIn(tables, listing))),
    count: async (entity, where) =>
      scope.read((tables) => [...select(tables.entities, entity, resolveHeld(tables, where))].length),
    get: async (entity, id, where) =>
      scope.read((tables) => {
        const found = find(tables.entities, entity, id, resolveIn(tables, { where }));
        return found ? copyRecord(found) : null;
      }),
    create: async (entity, row) => {
      // Copied before the step may have to wait for its turn.
      const copy = copyEntityValues(row);
      return scope.write(({ entities }) => create(entities, entity, copy));
    },
    update: async (entity, id, change) => {
      const values = copyEntityValues(change.values);
      return scope.write((tables) => update(tables.entities, entity, id, resolveIn(tables, { ...change, values })));
    },
    delete: async (entity, id, condition) =>
      scope.write((tables) => {
        const found = find(tables.entities, entity, id, resolveIn(tables, condition));
        if (!found) return null;
        deleteWithReferents(tables.entities, entity, id);
        return found;
      }),
  };
}

function resolveIn<Condition extends { readonly where: Where }>(tables: Tables, condition: Condition): Condition {
  return { ...condition, where: resolveHeld(tables, condition.where) };
}

/** Visits all rows by id and picks those that a condition is true of. */
function select(entities: EntityTables, entity: string, where: Where): Iterable<EntityRecord> {
  return pick(entities.rowsOf(entity).select(byId, byId), where);
}

function* pick(records: Iterable<EntityRecord>, where: Where): Generator<EntityRecord> {
  for (const record of records) if (matches(where, record.row)) yield record;
}

function list(entities: EntityTables, entity: string, listing: EntityListing): readonly EntityRecord[] {
  assertSortable(entities.declarationOf(entity), listing.order);
  const [first] = listing.order;
  const isById = first?.column === 'id' && first.direction === 'asc';
  const found = isById ? listById(entities, entity, listing) : listSorted(entities, entity, listing);
  return found.map((record) => copyRecord(record));
}

/** Walks the rows in the order that they are kept in, from where the list goes on. */
function listById(
  entities: EntityTables,
  entity: string,
  { where, after, limit }: EntityListing,
): readonly EntityRecord[] {
  const last = after?.[0];
  const isBefore = ({ row }: EntityRecord): boolean => typeof last === 'string' && compareCodePoints(row.id, last) <= 0;
  return take(pick(entities.rowsOf(entity).select(byId, byId, isBefore), where), limit);
}

function listSorted(
  entities: EntityTables,
  entity: string,
  { where, order, after, limit }: EntityListing,
): readonly EntityRecord[] {
  const found = Array.from(select(entities, entity, where), (record) => ({
    record,
    key: readSortKey(order, record.row),
  }));
  return found
    .filter(({ key }) => after === null || compareSortKeys(order, key, after) > 0)
    .toSorted((a, b) => compareSortKeys(order, a.key, b.key))
    .slice(0, limit)
    .map(({ record }) => record);
}

function listRelated(
  entities: EntityTables,
  entity: string,
  { column, values, where, limitEach }: RelatedListing,
): readonly EntityRecord[] {
  assertReference(entities.declarationOf(entity), column);
  const rows = entities.rowsOf(entity);
  const wanted = [...new Set(values)].toSorted(compareCodePoints);
  return wanted
    .flatMap((value) => take(pick(rows.select(column, value), where), limitEach))
    .map((record) => copyRecord(record));
}

function find(
  entities: EntityTables,
  entity: string,
  id: string,
  { where, version }: EntityCondition,
): EntityRecord | undefined {
  const record = entities.rowsOf(entity).get(id);
  const isWanted = record && (version === undefined || record.version === version) && matches(where, record.row);
  return isWanted ? record : undefined;
}

function create(entities: EntityTables, entity: string, given: EntityRow): EntityRecord {
  const row = checkEntityRow(entities.declarationOf(entity), given);
  if (entities.rowsOf(entity).get(row.id)) throw storeConflict();
  return put(entities, entity, { row, version: 1 });
}

function update(entities: EntityTables, entity: string, id: string, change: EntityChange): EntityRecord | null {
  const values = checkEntityValues(entities.declarationOf(entity), change.values);
  const found = find(entities, entity, id, change);
  if (!found) return null;
  return put(entities, entity, { row: { ...found.row, ...values }, version: found.version + 1 });
}

/** Stores a row that contradicts no other. */
function put(entities: EntityTables, entity: string, record: EntityRecord): EntityRecord {
  const rows = entities.rowsOf(entity);
  const { id } = record.row;
  for (const { name, unique, references } of entities.declarationOf(entity).columns) {
    const value = unique || references ? toIndexValue(record.row[name]) : null;
    if (value === null) continue;
    const holder = unique && rows.find(name, value);
    if (holder && holder.row.id !== id) throw storeConflict();
    const isOwn = references?.entity === entity && value === id;
    if (references && !isOwn && !entities.rowsOf(references.entity).get(value)) throw storeConflict();
  }
  rows.put(record);
  return copyRecord(record);
}
