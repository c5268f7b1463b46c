import type { EntityAggregation, EntityGroups, EntityValue, Measure } from '@x/store';
import { assertAggregable, type ExactSum, sortGroups, toAverage, toSum } from '@x/store/engine';
import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlRow, SqlExecutor } from '../sql-executor.ts';
import {
  findColumn,
  type SqlTable,
  type SqlTableColumn,
  type Statement,
  toDecoder,
  toGuardedCondition,
  toReader,
  toShown,
} from './sql-table.ts';

/** Groups rows by one statement, and computes what was asked for of each group. */
export async function aggregateRows(
  sql: SqlExecutor,
  statement: Statement,
  aggregation: EntityAggregation,
): Promise<EntityGroups> {
  const { table, dialect, parameters } = statement;
  const { where, groupBy, measures, limit, bounds } = aggregation;
  assertAggregable(table.entity, aggregation);
  const keys = groupBy.map((name, index) => toKey(table, dialect, { name, label: `k${index}` }));
  const parts = measures.map((measure, index) => toPart(table, dialect, { measure, label: `m${index}` }));
  const selected = [...keys, ...parts].flatMap(({ selection }) => selection);
  const grouping = keys.length === 0 ? '' : `GROUP BY ${keys.map((_, index) => index + 1).join(', ')} `;
  const text =
    `SELECT ${selected.join(', ')} FROM ${table.sql} WHERE ${toGuardedCondition(statement, where)} ` +
    `${grouping}LIMIT ${parameters.bind(limit + 1)}`;
  const { rows, isCut } = await sql.query(text, parameters.values, {
    ...bounds,
    mayScan: true,
    maxRows: limit + 1,
  });
  const groups = rows.map((row) => ({
    key: keys.map(({ read }) => read(row)),
    values: parts.map(({ read }) => read(row)),
  }));
  return { groups: sortGroups(table.entity, groupBy, groups).slice(0, limit), hasMore: isCut || rows.length > limit };
}

/** A part of the selection, and how its cells are read. */
interface Part {
  readonly selection: readonly string[];
  readonly read: (row: SqlRow) => EntityValue;
}

function toKey(
  table: SqlTable,
  dialect: SqlDialect,
  { name, label }: { readonly name: string; readonly label: string },
): Part {
  const column = findColumn(table, name);
  return { selection: [`${toShown(column)} AS "${label}"`], read: toReader(label, toDecoder(column, dialect)) };
}

function toPart(
  table: SqlTable,
  dialect: SqlDialect,
  { measure, label }: { readonly measure: Measure; readonly label: string },
): Part {
  const column = findColumn(table, measure.column);
  const { sql, type, form } = column;
  switch (measure.function) {
    case 'count':
      return { selection: [`COUNT(${sql}) AS "${label}"`], read: toReader(label, Number) };
    case 'min':
    case 'max': {
      // Not every engine orders booleans.
      const isBoolean = type === 'boolean';
      const decode = isBoolean ? (cell: unknown): boolean => Number(cell) === 1 : toDecoder(column, dialect);
      const value = isBoolean ? `CAST(${sql} AS INTEGER)` : (form?.sorted ?? sql);
      const shown = toShown({ ...column, sql: `${measure.function.toUpperCase()}(${value})` });
      return { selection: [`${shown} AS "${label}"`], read: toReader(label, decode) };
    }
    case 'sum':
      return {
        selection: selectSum(dialect, column, label),
        read: (row) => toSum(readSum(dialect, column, row, label), column),
      };
    case 'avg':
      return {
        selection: selectSum(dialect, column, label),
        read: (row) => toAverage(readSum(dialect, column, row, label), column),
      };
  }
}

function selectSum(dialect: SqlDialect, { sql, type }: SqlTableColumn, label: string): readonly string[] {
  return [`${dialect.sum(sql, type)} AS "${label}"`, `COUNT(${sql}) AS "${label}n"`];
}

function readSum(dialect: SqlDialect, { type, decimal }: SqlTableColumn, row: SqlRow, label: string): ExactSum | null {
  const cell = row[label];
  if (typeof cell !== 'string') return null;
  return { total: dialect.decodeSum(cell, { type, decimal: decimal ?? null }), count: Number(row[`${label}n`]) };
}
