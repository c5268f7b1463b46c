import { hash } from 'node:crypto';

import type { ColumnType, EntityTable } from '@x/store';

import { quoteIdentifier, type SqlColumn } from '../where/sql-column.ts';

/** The table of an entity, as statements write it. */
export interface SqlTable {
  readonly entity: EntityTable;
  /** The quoted name. */
  readonly sql: string;
  /** Every column that rows show, by its name in the declaration. */
  readonly columns: ReadonlyMap<string, SqlTableColumn>;
  /** The same columns in the order of the selection. */
  readonly shown: readonly { readonly name: string; readonly type: ColumnType }[];
  /** What follows `SELECT` and `RETURNING`: every column under its declared name, then the version. */
  readonly selection: string;
}

/** A column of an entity's table. */
export interface SqlTableColumn extends SqlColumn {
  readonly nullable: boolean;
}

/** The column of the version. No declared column has its name. */
export const versionColumn = '"_version"';

/** Names what the statements of an entity write. */
export function toSqlTable(entity: EntityTable): SqlTable {
  const columns = new Map<string, SqlTableColumn>([
    ['id', { sql: '"id"', type: 'text', nullable: false }],
    ...entity.columns.map(({ name, type, nullable }): [string, SqlTableColumn] => [
      name,
      { sql: toColumnSql(name), type, nullable },
    ]),
  ]);
  const selected = [...columns].map(([name, { sql, type }]) => {
    // An engine may parse JSON by itself; its text says the same on all.
    const value = type === 'json' ? `CAST(${sql} AS TEXT)` : sql;
    return `${value} AS ${quoteIdentifier(name)}`;
  });
  return {
    entity,
    sql: toTableSql(entity.name),
    columns,
    shown: [...columns].map(([name, { type }]) => ({ name, type })),
    selection: [...selected, versionColumn].join(', '),
  };
}

/** Returns the quoted name of an entity's table. The prefix keeps it apart from the framework's own. */
export function toTableSql(entity: string): string {
  return quoteIdentifier(`app_${entity.replaceAll('-', '_')}`);
}

/** Returns the quoted name of a column: no two names of one declaration become the same. */
export function toColumnSql(name: string): string {
  return quoteIdentifier(name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

/** Returns the quoted name of an index, which tells by which columns it is; Postgres takes no more than 63 bytes. */
export function toIndexSql(entity: string, columns: readonly string[], isUnique: boolean): string {
  const digest = hash('sha256', JSON.stringify([columns, isUnique])).slice(0, 12);
  return quoteIdentifier(`app_${entity.replaceAll('-', '_')}_${digest}`);
}
