import type { ColumnType } from '@x/store';
import type { SqlDialect, SqlValue } from '@x/store-sql';

/** What Postgres says in its own way. */
export const postgresDialect: SqlDialect = {
  // No step changes a key that others refer to, so that who only refers to a locked row need not wait.
  lockRow: 'FOR NO KEY UPDATE',
  lockFreeRows: 'FOR UPDATE SKIP LOCKED',
  locks: {
    exclusive: (name) => `pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
    shared: (name) => `pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`,
  },
  queriesMayWrite: true,
  columnTypes: {
    text: 'TEXT COLLATE "C"',
    integer: 'BIGINT',
    number: 'DOUBLE PRECISION',
    boolean: 'BOOLEAN',
    timestamp: 'BIGINT',
    json: 'JSON',
  },
  tableOptions: '',
  textOperators: {
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
    startsWith: (text, part) => `starts_with(${text}, ${part})`,
    endsWith: (text, part) => `right(${text}, length(${part})) = ${part}`,
  },
  inArray: (column, { type, values }, bind) =>
    `${column} = ANY (CAST(${bind(toArray(values))} AS ${arrayTypes[type]}))`,
  listTexts: (texts, bind) => `SELECT unnest(CAST(${bind(toArray(texts))} AS TEXT[])) AS value`,
};

const arrayTypes: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT[]',
  integer: 'BIGINT[]',
  number: 'DOUBLE PRECISION[]',
  boolean: 'BOOLEAN[]',
  timestamp: 'BIGINT[]',
  json: 'TEXT[]',
};

/** Writes an array as Postgres reads it. */
function toArray(values: readonly SqlValue[]): string {
  return `{${values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(',')}}`;
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
