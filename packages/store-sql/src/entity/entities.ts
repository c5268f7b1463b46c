import type {
  Cause,
  EntityChange,
  EntityRecord,
  EntityStore,
  EntityValues,
  NewEntityRow,
  RelatedListing,
} from '@x/store';
import {
  assertReference,
  checkEntityRow,
  checkEntityValues,
  checkUniqueKey,
  isByRelated,
  logged,
  type RowChange,
} from '@x/store/engine';
import { isIn, type Where } from '@x/store/where';

import { createRecording, type Recording } from '../events.ts';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';
import type { OnExecutor, SqlStoreDependencies } from '../store-dependencies.ts';
import { Parameters } from '../parameters.ts';
import { asCompared } from '../where/compile-where.ts';
import { listChangedBy, reachesAudited, selectDeleted } from './audit.ts';
import { aggregateRows } from './aggregate-rows.ts';
import { deleteRow, deleteRows } from './delete-rows.ts';
import { listByRelated } from './list-by-related.ts';
import { listRows } from './list-rows.ts';
import { attempt, atVersion, isOneOf, lockedStatement, toFirst, toRowCondition, write } from './row-statements.ts';
import {
  type BuiltQuery,
  type BuiltStatement,
  findColumn,
  finish,
  queryRows,
  readId,
  selectId,
  type SqlTable,
  type Statement,
  type TableLayout,
  toCondition,
  toGuardedCondition,
  toLabelled,
  toSqlValue,
} from './sql-table.ts';

/** The options of the entity store. */
export interface SqlEntitiesOptions extends SqlStoreDependencies {
  readonly layout: TableLayout;
}

/** Builds the entity store. One that is used before the migration looks its tables up first. */
export function createSqlEntities({ dialect, clock, layout }: SqlEntitiesOptions): OnExecutor<EntityStore> {
  const { record } = createRecording({ clock });
  return (sql) => {
    if (layout.tables) return createOnTables(sql, { dialect, tables: layout.tables, record });
    return afterLookup(async () =>
      createOnTables(sql, { dialect, tables: layout.tables ?? (await layout.find(sql)), record }),
    );
  };
}

function afterLookup(find: () => Promise<EntityStore>): EntityStore {
  return {
    list: async (...given) => (await find()).list(...given),
    listRelated: async (...given) => (await find()).listRelated(...given),
    count: async (...given) => (await find()).count(...given),
    aggregate: async (...given) => (await find()).aggregate(...given),
    get: async (...given) => (await find()).get(...given),
    lock: async (...given) => (await find()).lock(...given),
    lockByKey: async (...given) => (await find()).lockByKey(...given),
    create: async (...given) => (await find()).create(...given),
    update: async (...given) => (await find()).update(...given),
    updateAll: async (...given) => (await find()).updateAll(...given),
    delete: async (...given) => (await find()).delete(...given),
    deleteAll: async (...given) => (await find()).deleteAll(...given),
  };
}

/** The tables of entity stores, and the way to write to the log. */
interface OpenTables {
  readonly dialect: SqlDialect;
  readonly tables: ReadonlyMap<string, SqlTable>;
  readonly record: Recording['record'];
}

function createOnTables(sql: SqlExecutor, { dialect, tables, record }: OpenTables): EntityStore {
  const findTable = (entity: string): SqlTable => {
    const table = tables.get(entity);
    if (!table) {
      throw new TypeError(
        `There is no entity ${entity}: open the stores with the needs of createServer, or with toEntityTables of its model.`,
      );
    }
    return table;
  };
  const start = (entity: string): Statement => ({
    table: findTable(entity),
    findTable,
    dialect,
    parameters: new Parameters(),
  });
  const audited = async <Outcome>(
    entity: string,
    cause: Cause | undefined,
    work: (step: SqlExecutor) => Promise<{ readonly outcome: Outcome; readonly changes: readonly RowChange[] }>,
  ): Promise<Outcome> => {
    if (!findTable(entity).entity.audit) return (await work(sql)).outcome;
    return record(sql, cause, async (step) => {
      const { outcome, changes } = await work(step);
      return { outcome, recorded: logged.rows(changes) };
    });
  };
  const listChanges = (step: SqlExecutor, entity: string, ids: readonly string[]): Promise<readonly RowChange[]> =>
    listChangedBy({ sql: step, dialect, tables }, { table: findTable(entity), ids });
  return {
    list: async (entity, listing) =>
      isByRelated(listing.order)
        ? listByRelated(sql, start(entity), listing)
        : listRows(sql, () => start(entity), listing),
    listRelated: async (entity, listing) => queryRows(sql, listRelatedStatement(start(entity), listing)),
    async count(entity, where, bounds) {
      const { text, values } = countStatement(start(entity), where);
      const { rows } = await sql.query(text, values, { ...bounds, mayScan: true, maxRows: 1 });
      return Number(rows[0]?.['count']);
    },
    aggregate: async (entity, aggregation) => aggregateRows(sql, start(entity), aggregation),
    async get(entity, id, where) {
      const { table, text, values } = getStatement(start(entity), id, where);
      return toFirst(table, await sql.read(text, values));
    },
    async lock(entity, ids, where) {
      const { text, values } = lockStatement(start(entity), ids, where);
      await sql.read(text, values);
    },
    async lockByKey(entity, key, where) {
      const { table, text, values } = lockByKeyStatement(start(entity), key, where);
      return toFirst(table, await sql.read(text, values));
    },
    create: (entity, row, cause) =>
      audited(entity, cause, async (step) => {
        const created = await write(step, insertStatement(start(entity), row));
        if (!created) throw new TypeError('An insert returned no row.');
        return { outcome: created, changes: [{ type: 'record.created', entity, id: created.row.id }] };
      }),
    update: (entity, id, change, cause) =>
      audited(entity, cause, async (step) => {
        const place = { start: () => start(entity), id, condition: change };
        const updated = await atVersion(step, place, (inside) =>
          write(inside, updateStatement(start(entity), id, change)),
        );
        return { outcome: updated, changes: toUpdates(entity, updated ? [id] : [], change.values) };
      }),
    updateAll: (entity, change, cause) =>
      audited(entity, cause, async (step) => {
        const rows = await attempt(step, updateAllStatement(start(entity), change));
        const ids = rows.map(readId);
        return { outcome: ids.length, changes: toUpdates(entity, ids, change.values) };
      }),
    delete(entity, id, condition, cause) {
      const remove = (step: SqlExecutor): Promise<EntityRecord | null> =>
        deleteRow({ sql: step, tables, start: () => start(entity) }, id, condition);
      if (!reachesAudited(tables, findTable(entity))) return remove(sql);
      return record(sql, cause, async (step) => {
        const statement = start(entity);
        const ids = await lockDeleted(step, statement, toRowCondition(statement, id, condition));
        const changes = await listChanges(step, entity, ids);
        const removed = await remove(step);
        return { outcome: removed, recorded: removed ? logged.rows(changes) : [] };
      });
    },
    deleteAll(entity, where, cause) {
      const remove = (step: SqlExecutor, rows: Where): Promise<number> =>
        deleteRows({ sql: step, tables, start: () => start(entity) }, rows);
      if (!reachesAudited(tables, findTable(entity))) return remove(sql, where);
      return record(sql, cause, async (step) => {
        const statement = start(entity);
        const ids = await lockDeleted(step, statement, toCondition(statement, where));
        const changes = await listChanges(step, entity, ids);
        // No others: rows that satisfy the condition since then are not among the changes.
        await remove(step, isIn('id', ids));
        return { outcome: ids.length, recorded: logged.rows(changes) };
      });
    },
  };
}

function listRelatedStatement(statement: Statement, listing: RelatedListing): BuiltQuery {
  const { table, dialect, parameters } = statement;
  const { column, values, where, limitEach, bounds } = listing;
  assertReference(table.entity, column);
  const found = findColumn(table, column);
  const condition = toGuardedCondition(statement, where, { checksPerRow: true });
  const distinct = [...new Set(values)];
  const text = dialect.selectEach({
    selection: table.selection,
    table: table.sql,
    id: table.id.sql,
    list: parameters.bind(dialect.toList(distinct)),
    condition: (value) => `${found.sql} = ${asCompared(found, value)} AND ${condition}`,
    limit: parameters.bind(limitEach),
  });
  const maxRows = distinct.length * (column === 'id' ? 1 : limitEach);
  return { ...finish(statement, text), options: { ...toLabelled(table, bounds), mayScan: true, maxRows } };
}

function countStatement(statement: Statement, where: Where): BuiltStatement {
  const condition = toGuardedCondition(statement, where);
  return finish(statement, `SELECT COUNT(*) AS count FROM ${statement.table.sql} WHERE ${condition}`);
}

function getStatement(statement: Statement, id: string, where: Where): BuiltStatement {
  const { table } = statement;
  const condition = toRowCondition(statement, id, { where });
  return finish(statement, `SELECT ${table.selection} FROM ${table.sql} WHERE ${condition}`);
}

function lockStatement(statement: Statement, ids: readonly string[], where: Where): BuiltStatement {
  const { table, dialect, parameters } = statement;
  const isWanted = isOneOf(table, parameters.bind(dialect.toList(ids)), dialect);
  const condition = toCondition(statement, where);
  return finish(
    statement,
    `SELECT 1 FROM ${table.sql} WHERE ${isWanted} AND ${condition} ORDER BY ${table.id.sql} ${dialect.lockRow}`,
  );
}

function lockByKeyStatement(statement: Statement, key: EntityValues, where: Where): BuiltStatement {
  const { table, dialect } = statement;
  const isWanted = isEqualTo(statement, checkUniqueKey(table.entity, key));
  const condition = toCondition(statement, where);
  return finish(
    statement,
    `SELECT ${table.selection} FROM ${table.sql} WHERE ${isWanted} AND ${condition} ${dialect.lockRow}`,
  );
}

/** Writes the condition that a row has some values. */
function isEqualTo(statement: Statement, values: EntityValues): string {
  const { table, dialect, parameters } = statement;
  const cells = Object.entries(values).map(([name, cell]) => {
    const column = findColumn(table, name);
    return `${column.sql} = ${asCompared(column, parameters.bind(toSqlValue(column, cell, dialect)))}`;
  });
  return cells.join(' AND ');
}

function insertStatement(statement: Statement, given: NewEntityRow): BuiltStatement {
  const { table } = statement;
  const cells = bindCells(statement, checkEntityRow(table.entity, given));
  const first = table.version === null ? [] : [{ name: table.version, value: '1' }];
  const names = [...cells, ...first].map(({ name }) => name).join(', ');
  const values = [...cells, ...first].map(({ value }) => value).join(', ');
  const row = names === '' ? 'DEFAULT VALUES' : `(${names}) VALUES (${values})`;
  return finish(statement, `INSERT INTO ${table.sql} ${row} RETURNING ${table.selection}`);
}

function updateStatement(statement: Statement, id: string, change: EntityChange): BuiltStatement {
  const { table } = statement;
  const changes = toAssignments(statement, change.values);
  const condition = toRowCondition(statement, id, change);
  return finish(statement, `UPDATE ${table.sql} SET ${changes} WHERE ${condition} RETURNING ${table.selection}`);
}

async function lockDeleted(step: SqlExecutor, statement: Statement, condition: string): Promise<readonly string[]> {
  const { text, values } = finish(statement, selectDeleted(statement, condition));
  return (await step.read(text, values)).map(readId);
}

function toUpdates(entity: string, ids: readonly string[], values: EntityValues): readonly RowChange[] {
  return ids.map((id) => ({ type: 'record.updated', entity, id, fields: Object.keys(values) }));
}

function updateAllStatement(
  statement: Statement,
  { values, where }: Pick<EntityChange, 'values' | 'where'>,
): BuiltStatement {
  const { table } = statement;
  const changes = toAssignments(statement, values);
  const taken = lockedStatement(statement, where);
  const isTaken = `${table.id.sql} IN (${taken})`;
  return finish(statement, `UPDATE ${table.sql} SET ${changes} WHERE ${isTaken} RETURNING ${selectId(table)}`);
}

/** Writes what `SET` changes: some columns, and the version. */
function toAssignments(statement: Statement, values: EntityValues): string {
  const { entity, version } = statement.table;
  const cells = bindCells(statement, checkEntityValues(entity, values));
  const changes = cells.map(({ name, value }) => `${name} = ${value}`);
  return [...changes, ...(version === null ? [] : [`${version} = ${version} + 1`])].join(', ');
}

function bindCells(
  { table, dialect, parameters }: Statement,
  values: NewEntityRow,
): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(values).map(([declared, cell]) => {
    const { name, form, ...column } = findColumn(table, declared);
    const placeholder = parameters.bind(toSqlValue(column, cell, dialect));
    const toStored = form?.toStored ?? form?.toCompared;
    return { name, value: toStored?.(placeholder) ?? placeholder };
  });
}
