import type { ColumnType, EntityRecord, EntityRow, EntityValue } from '@x/store';

import type { SqlRow, SqlValue } from '../sql-driver.ts';
import type { SqlTable } from './sql-table.ts';

/** Converts a row of a table's selection to the record. */
export function toEntityRecord({ shown }: SqlTable, row: SqlRow): EntityRecord {
  // Lists spend their time here, so nothing is allocated per column except its value.
  const cells: Record<string, EntityValue> = {};
  for (const { name, type } of shown) {
    const cell = row[name];
    cells[name] = cell === null || cell === undefined ? null : decoders[type](cell);
  }
  return { row: cells as EntityRow, version: Number(row['_version']) };
}

/** Converts a validated value to the value to bind. */
export function toSqlValue(value: EntityValue): SqlValue {
  if (value instanceof Date) return value.getTime();
  return value as SqlValue;
}

/** Converts a validated value of a JSON column to its text. */
export function toJsonText(value: EntityValue): SqlValue {
  return value === null ? null : JSON.stringify(value);
}

const decoders: Readonly<Record<ColumnType, (cell: unknown) => EntityValue>> = {
  text: (cell) => cell as string,
  integer: Number,
  number: Number,
  boolean: Boolean,
  timestamp: (cell) => new Date(Number(cell)),
  json: (cell) => JSON.parse(cell as string) as EntityValue,
};
