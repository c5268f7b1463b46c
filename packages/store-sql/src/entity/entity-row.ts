import type { ColumnType, EntityRecord, EntityRow, EntityValue } from '@x/store';

import type { SqlRow, SqlValue } from '../sql-driver.ts';
import type { SqlTable } from './sql-table.ts';

/** Converts a row of a table's selection to the record. */
export function toEntityRecord({ columns }: SqlTable, row: SqlRow): EntityRecord {
  const cells = [...columns].map(([name, { type }]) => [name, toEntityValue(type, row[name])] as const);
  return { row: Object.fromEntries(cells) as EntityRow, version: Number(row['_version']) };
}

/** Converts a checked value to what its column binds. */
export function toSqlValue(value: EntityValue): SqlValue {
  if (value instanceof Date) return value.getTime();
  return value as SqlValue;
}

/** Converts a checked value of a JSON column to its text. */
export function toJsonText(value: EntityValue): SqlValue {
  return value === null ? null : JSON.stringify(value);
}

function toEntityValue(type: ColumnType, cell: unknown): EntityValue {
  return cell === null || cell === undefined ? null : decoders[type](cell);
}

const decoders: Readonly<Record<ColumnType, (cell: unknown) => EntityValue>> = {
  text: (cell) => cell as string,
  integer: Number,
  number: Number,
  boolean: Boolean,
  timestamp: (cell) => new Date(Number(cell)),
  json: (cell) => JSON.parse(cell as string) as EntityValue,
};
