import { type ColumnType, toDecimal } from '@x/store';
import { caseVariants } from '@x/store/where';
import type { SqlDialect } from '@x/store-sql';

/** The dialect of Postgres. */
export const postgresDialect: SqlDialect = {
  // No step changes a key that others refer to, so a writer that only refers to a locked row need not wait.
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
    decimal: 'NUMERIC',
    boolean: 'BOOLEAN',
    timestamp: 'BIGINT',
    date: 'TEXT COLLATE "C"',
    json: 'JSON',
  },
  encodeDecimal: (decimal) => decimal,
  decodeDecimal: (cell, size) => toDecimal(String(cell), size) ?? String(cell),
  buildsIndexesBesideWrites: true,
  tableOptions: '',
  textOperators: {
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
    startsWith: (text, part) => `starts_with(${text}, ${part})`,
    endsWith: (text, part) => `right(${text}, length(${part})) = ${part}`,
  },
  // No collation is asked: only the characters that matter are replaced, each by the one that stands for it.
  foldCase(text, part, bind) {
    const variants = [...new Set(part)].flatMap((to) => caseVariants(to).map((from) => ({ from, to })));
    if (variants.length === 0) return text;
    const from = bind(variants.map((each) => each.from).join(''));
    return `translate(${text}, ${from}, ${bind(variants.map((each) => each.to).join(''))})`;
  },
  toList: (values) =>
    `{${values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(',')}}`,
  in: (type, list) => `= ANY (CAST(${list} AS ${arrayTypes[type]}))`,
  selectTexts: (list) =>
    `SELECT value, ordinality - 1 AS place FROM unnest(CAST(${list} AS TEXT[])) WITH ORDINALITY AS one (value, ordinality)`,
  rowGuard: () => '',
  // The function returns its rows in the order of their places, which the server knows: nothing has to be sorted.
  selectEach: ({ selection, table, list, condition, limit }) =>
    `SELECT row_.* FROM unnest(CAST(${list} AS TEXT[])) WITH ORDINALITY AS each_ ("_text", "_place") CROSS JOIN LATERAL (
      SELECT ${selection} FROM ${table} WHERE ${condition('each_."_text"')} ORDER BY "id" LIMIT ${limit}
    ) AS row_ ORDER BY each_."_place"`,
  toJson: (value) => `to_json(${value})`,
  jsonAgg: (column) => `json_agg(${column})`,
};

const arrayTypes: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT[]',
  integer: 'BIGINT[]',
  number: 'DOUBLE PRECISION[]',
  decimal: 'NUMERIC[]',
  boolean: 'BOOLEAN[]',
  timestamp: 'BIGINT[]',
  date: 'TEXT[]',
  json: 'TEXT[]',
};

const special = /["\\]/;

function quote(text: string): string {
  return `"${special.test(text) ? text.replaceAll(/["\\]/g, String.raw`\$&`) : text}"`;
}
