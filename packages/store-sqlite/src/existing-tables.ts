import type { ColumnType } from '@x/store';
import type { DescribedColumn, ExistingForm, SqlCatalog, SqlExistingTables, WantedColumn } from '@x/store-sql';

/** How SQLite tells what it knows of a table. A schema is the name of an attached database. */
export const catalog: SqlCatalog = {
  toPlace: ({ schema, table }) => [table, schema ?? 'main'],
  // An integer that is the primary key alone is the number of the row, which SQLite counts up.
  columns: `
    SELECT name, lower(trim(substr(type, 1, instr(type || '(', '(') - 1))) AS type, "notnull" OR pk > 0 AS is_required,
      dflt_value IS NOT NULL OR (type = 'INTEGER' COLLATE NOCASE AND pk = 1 AND SUM(pk) OVER () = 1) AS has_default,
      hidden > 1 AS is_computed,
      (SELECT type = 'view' FROM pragma_table_list($1) WHERE schema = $2) AS is_view
    FROM pragma_table_xinfo($1, $2) WHERE hidden <> 1`,
  // A key is reported by its columns, unless one of them is an expression.
  keys: `
    SELECT group_concat($1 || '.' || name, ', ' ORDER BY place) AS name, is_primary,
      json_group_array(name ORDER BY place) AS columns
    FROM (
      SELECT TRUE AS is_primary, -1 AS key, pk AS place, name FROM pragma_table_xinfo($1, $2) WHERE pk > 0
      UNION ALL SELECT FALSE, list.seq, part.seqno, part.name
      FROM pragma_index_list($1, $2) AS list CROSS JOIN pragma_index_info(list.name, $2) AS part
      WHERE list."unique" = 1 AND list.partial = 0 AND list.origin <> 'pk'
    ) GROUP BY is_primary, key HAVING COUNT(name) = COUNT(*) ORDER BY key`,
  indexes: 'SELECT name FROM pragma_index_list($1, $2)',
};

/** What SQLite holds in the columns of tables that it has without us. */
export const existing: SqlExistingTables = {
  toForm,
  whyNotReferred: ({ schema }) => (schema === null || schema.toLowerCase() === 'main' ? null : 'is in another file'),
};

type Affinity = 'integer' | 'text' | 'real' | 'numeric' | 'none';

/**
 * Returns the affinity of a column by its declared type.
 *
 * @see https://www.sqlite.org/datatype3.html#determination_of_column_affinity
 */
function affinityOf({ type }: DescribedColumn): Affinity {
  if (type.includes('int')) return 'integer';
  if (/char|clob|text/.test(type)) return 'text';
  if (type === '' || type.includes('blob')) return 'none';
  return /real|floa|doub/.test(type) ? 'real' : 'numeric';
}

/** The affinities of columns that hold values of each type. One without a type, as in many views, may hold any. */
const affinities: Readonly<Record<ColumnType, readonly Affinity[]>> = {
  text: ['text', 'none'],
  integer: ['integer', 'numeric', 'none'],
  number: ['integer', 'real', 'numeric', 'none'],
  decimal: ['integer', 'real', 'numeric', 'none'],
  boolean: ['integer', 'numeric', 'none'],
  timestamp: ['integer', 'text', 'numeric', 'none'],
  date: ['text', 'numeric', 'none'],
  json: ['text', 'numeric', 'none'],
};

function toForm({ type, key, decimal }: WantedColumn, column: DescribedColumn, name: string): ExistingForm | null {
  const affinity = affinityOf(column);
  if (!affinities[key === 'integer' ? 'integer' : type].includes(affinity)) return null;
  if (key === 'integer') return asId(name, affinity);
  // A column may be declared with another collation, by which different texts are equal.
  if (type === 'text') return { sql: `${name} COLLATE BINARY` };
  if (type === 'decimal') return asUnits(name, decimal?.scale ?? 0);
  return type === 'timestamp' && (affinity === 'text' || affinity === 'numeric') ? asMoment(name) : {};
}

/** Converts integers to the texts that ids are. SQLite compares a column with a text as its affinity says. */
function asId(name: string, affinity: Affinity): ExistingForm {
  return {
    text: `CAST(${name} AS TEXT)`,
    toShown: (value) => `CAST(${value} AS TEXT)`,
    ...(affinity === 'none' && { toCompared: (value: string) => `CAST(${value} AS INTEGER)` }),
  };
}

/** Converts numbers to units of the last digit after the point, as we store decimals. */
function asUnits(name: string, scale: number): ExistingForm {
  const factor = 10 ** scale;
  return { sql: `CAST(ROUND(${name} * ${factor}) AS INTEGER)`, toStored: (units) => `(${units} / ${factor}.0)` };
}

/** Converts moments that are written as texts to milliseconds; a text that is none counts as null. */
function asMoment(name: string): ExistingForm {
  return {
    sql: `CAST(ROUND((julianday(${name}) - 2440587.5) * 86400000) AS INTEGER)`,
    mayBeNull: true,
    toStored: (moment) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${moment} / 1000.0, 'unixepoch')`,
  };
}
