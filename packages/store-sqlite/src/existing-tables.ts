import type { ColumnType } from '@x/store';
import type { DescribedColumn, SqlExistingTables, SqlRow, WantedColumn } from '@x/store-sql';

/** How SQLite describes the tables that it has without us. A schema is the name of an attached database. */
export const existing: SqlExistingTables = {
  async describe(sql, { schema, table }) {
    const place = [table, schema ?? 'main'];
    const columns = await sql.read(selectColumns, place);
    if (columns.length === 0) return null;
    const key = columns.filter((row) => Number(row['pk']) > 0).toSorted((a, b) => Number(a['pk']) - Number(b['pk']));
    const isRowId = key.length === 1 && String(key[0]?.['type']).toUpperCase() === 'INTEGER';
    const [kind] = await sql.read(selectKind, place);
    const unique = Map.groupBy(await sql.read(selectKeys, place), (row) => String(row['key']));
    const keys = [...(key.length > 0 ? [key] : []), ...unique.values()].map((rows) => rows.map(nameOf));
    return {
      isView: kind?.['type'] === 'view',
      columns: new Map(
        columns.map((row): [string, DescribedColumn] => [
          nameOf(row),
          {
            type: String(row['type'])
              .toLowerCase()
              .replace(/\s*\(.*/, ''),
            isRequired: Boolean(row['is_required']) || key.includes(row),
            hasDefault: Boolean(row['has_default']) || (isRowId && key.includes(row)),
            isComputed: Number(row['hidden']) > 1,
          },
        ]),
      ),
      primaryKey: key.length > 0 ? key.map(nameOf) : null,
      keys: keys.map((names) => ({ name: names.map((name) => `${table}.${name}`).join(', '), columns: names })),
    };
  },
  toForm,
  whyNotReferred: ({ schema }) => (schema === null || schema.toLowerCase() === 'main' ? null : 'is in another file'),
};

function nameOf(row: SqlRow): string {
  return String(row['name']);
}

const selectColumns = `
  SELECT name, type, pk, hidden, "notnull" AS is_required, dflt_value IS NOT NULL AS has_default
  FROM pragma_table_xinfo($1, $2) WHERE hidden <> 1`;

const selectKind = 'SELECT type FROM pragma_table_list($1) WHERE schema = $2';

const selectKeys = `
  SELECT list.name AS key, part.name AS name
  FROM pragma_index_list($1, $2) AS list CROSS JOIN pragma_index_info(list.name, $2) AS part
  WHERE list."unique" = 1 AND list.partial = 0 AND list.origin <> 'pk' ORDER BY list.seq, part.seqno`;

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

function toForm(
  { type, key, decimal }: WantedColumn,
  column: DescribedColumn,
  name: string,
): ReturnType<SqlExistingTables['toForm']> {
  const affinity = affinityOf(column);
  if (!affinities[key === 'integer' ? 'integer' : type].includes(affinity)) return null;
  if (key === 'integer') return asId(name, affinity);
  // A column may be declared with another collation, by which different texts are equal.
  if (type === 'text') return { sql: `${name} COLLATE BINARY` };
  if (type === 'decimal') return asUnits(name, decimal?.scale ?? 0);
  return type === 'timestamp' && (affinity === 'text' || affinity === 'numeric') ? asMoment(name) : {};
}

/** Converts integers to the texts that ids are. SQLite compares a column with a text as its affinity says. */
function asId(name: string, affinity: Affinity): ReturnType<typeof toForm> {
  return {
    text: `CAST(${name} AS TEXT)`,
    toShown: (value) => `CAST(${value} AS TEXT)`,
    ...(affinity === 'none' && { toCompared: (value: string) => `CAST(${value} AS INTEGER)` }),
  };
}

/** Converts numbers to units of the last digit after the point, as we store decimals. */
function asUnits(name: string, scale: number): ReturnType<typeof toForm> {
  const factor = 10 ** scale;
  return { sql: `CAST(ROUND(${name} * ${factor}) AS INTEGER)`, toStored: (units) => `(${units} / ${factor}.0)` };
}

/** Converts moments that are written as texts to milliseconds. */
function asMoment(name: string): ReturnType<typeof toForm> {
  return {
    sql: `CAST(ROUND((julianday(${name}) - 2440587.5) * 86400000) AS INTEGER)`,
    toStored: (moment) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${moment} / 1000.0, 'unixepoch')`,
  };
}
