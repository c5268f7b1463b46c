import { type ColumnType, toDecimal } from '@x/store';
import { caseVariants, isPosition, type JsonType } from '@x/store/where';
import { type SqlChangeDialect, type SqlDialect, toImageOf, triggerPrefix } from '@x/store-sql';
import { columnLinks, lostReferences, widening } from './column-links.ts';
import { isRefusal } from './errors.ts';
import { catalog, existing } from './existing-tables.ts';

/**
 * A transaction has ended if its number is lower than that of each running one: its writes are visible, or never will
 * be.
 */
const horizon = 'pg_snapshot_xmin(pg_current_snapshot())';

const changes: SqlChangeDialect = {
  position: "CAST(xid AS TEXT) || '.' || seq",
  end: `(SELECT CAST(${horizon} AS TEXT) || '.0')`,
  isAfter: (position) =>
    `(xid, seq) > (CAST(split_part(${position}, '.', 1) AS XID8), CAST(split_part(${position}, '.', 2) AS BIGINT))`,
  isSettled: `xid < ${horizon}`,
  order: 'xid, seq',
  now: 'CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)',
  toImage: (members) =>
    toImageOf(
      members,
      (parts) => `json_build_object(${parts})`,
      (one, other) => `CAST(CAST(${one} AS JSONB) || CAST(${other} AS JSONB) AS JSON)`,
    ),
  toImageCell: (type, cell) => (type === 'decimal' ? `CAST(${cell} AS TEXT)` : cell),
  listTriggers: `SELECT tgname AS name, relname AS table_name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = CAST(current_schema() AS REGNAMESPACE) AND starts_with(CAST(tgname AS TEXT), '${triggerPrefix}')`,
  createTrigger: ({ name, table, event, condition, statement }) => `
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${statement}; RETURN NULL; END $body$;
    CREATE TRIGGER ${name} AFTER ${event} ON "${table}" FOR EACH ROW ${condition && `WHEN (${condition})`}
    EXECUTE FUNCTION ${name}()`,
  dropTrigger: ({ name, table }) => `DROP TRIGGER ${name} ON "${table}"; DROP FUNCTION ${name}()`,
};

export const postgresDialect: SqlDialect = {
  // No step changes a key that other rows refer to, so a writer that only refers to a locked row need not wait.
  lockRow: 'FOR NO KEY UPDATE',
  lockDeleted: 'FOR UPDATE',
  lockFreeRows: 'FOR UPDATE SKIP LOCKED',
  locks: {
    exclusive: (name) => `pg_advisory_xact_lock(hashtextextended(${name}, 0))`,
    shared: (name) => `pg_advisory_xact_lock_shared(hashtextextended(${name}, 0))`,
  },
  keepsEventLoop: false,
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
  keyTypes: { text: 'TEXT COLLATE "C"', integer: 'BIGINT', uuid: 'UUID' },
  toTextLiteral(text) {
    const literal = `'${text.replaceAll("'", "''")}'`;
    // Without the E, the meaning of a backslash depends on standard_conforming_strings.
    return text.includes('\\') ? `E${literal.replaceAll('\\', String.raw`\\`)}` : literal;
  },
  encodeDecimal: (decimal) => decimal,
  decodeDecimal: (cell, size) => toDecimal(String(cell), size) ?? String(cell),
  catalog,
  existing,
  isRefusal,
  lostReferences,
  columnLinks,
  widening,
  // Only the text of a double is converted with all of its digits.
  sum: (column, type) =>
    `CAST(SUM(${type === 'number' ? `CAST(CAST(${column} AS TEXT) AS NUMERIC)` : column}) AS TEXT)`,
  decodeSum: (cell) => cell,
  buildsIndexesBesideWrites: true,
  tableOptions: '',
  textOperators: {
    contains: (text, part) => `strpos(${text}, ${part}) > 0`,
    startsWith: (text, part) => `starts_with(${text}, ${part})`,
    endsWith: (text, part) => `right(${text}, length(${part})) = ${part}`,
  },
  // It does not depend on a collation: each character that has a folded form is replaced by that.
  foldCase(text, part, bind) {
    const variants = [...new Set(part)].flatMap((to) => caseVariants(to).map((from) => ({ from, to })));
    if (variants.length === 0) return text;
    const from = bind(variants.map((each) => each.from).join(''));
    return `translate(${text}, ${from}, ${bind(variants.map((each) => each.to).join(''))})`;
  },
  jsonAtPath(column, { path, as }, bind) {
    // `#>` takes more texts for positions than are ones, such as -1; `->` takes none.
    const found = path.reduce((value, step) => {
      const bound = `CAST(${bind(step)} AS TEXT)`;
      return isPosition(step) ? `(${value} #> ARRAY[${bound}])` : `(${value} -> ${bound})`;
    }, column);
    return jsonValues[as](found);
  },
  toList: (values) =>
    `{${values.map((value) => (typeof value === 'string' ? quote(value) : String(value))).join(',')}}`,
  in: (type, list) => `= ANY (CAST(${list} AS ${arrayTypes[type]}))`,
  // An array is evaluated once, and an index looks up each of its texts.
  isOneOf: (query) => `= ANY (ARRAY(${query}))`,
  selectTexts: (list) =>
    `SELECT value, ordinality - 1 AS place FROM unnest(CAST(${list} AS TEXT[])) WITH ORDINALITY AS one (value, ordinality)`,
  rowGuard: () => '',
  // The function returns its rows in the order of their positions, which the server knows, so no sort is needed.
  selectEach: ({ selection, table, id, list, condition, limit }) =>
    `SELECT row_.* FROM unnest(CAST(${list} AS TEXT[])) WITH ORDINALITY AS each_ ("_text", "_place") CROSS JOIN LATERAL (
      SELECT ${selection} FROM ${table} WHERE ${condition('each_."_text"')} ORDER BY ${id} LIMIT ${limit}
    ) AS row_ ORDER BY each_."_place"`,
  joinFirst: ({ outer, table, column, condition, limit }) =>
    `${outer} CROSS JOIN LATERAL (
      SELECT DISTINCT one_.${column} FROM ${table} AS one_ WHERE ${condition('one_')} ORDER BY one_.${column} LIMIT ${limit}
    ) AS first_`,
  toJson: (value) => `to_json(${value})`,
  toJsonPair: (first, second) => `json_build_array(${first}, ${second})`,
  jsonAgg: (column) => `json_agg(${column})`,
  changes,
};

/** Reads a value in JSON; a column may be JSONB, too. */
const jsonValues: Readonly<Record<JsonType, (json: string) => string>> = {
  text: (json) => `(CASE WHEN ${typeOf(json)} = 'string' THEN ${toText(json)} END COLLATE "C")`,
  // Others than we may have written numbers that are too large or too small for a double, and no cast takes.
  number: (json) => `(CASE
    WHEN ${typeOf(json)} <> 'number' THEN NULL
    WHEN CAST(${toText(json)} AS NUMERIC) > 1.7976931348623157e308 THEN 'Infinity'
    WHEN CAST(${toText(json)} AS NUMERIC) < -1.7976931348623157e308 THEN '-Infinity'
    WHEN abs(CAST(${toText(json)} AS NUMERIC)) < 5e-324 THEN 0
    ELSE CAST(${toText(json)} AS DOUBLE PRECISION) END)`,
  boolean: (json) => `(CASE WHEN ${typeOf(json)} = 'boolean' THEN CAST(${toText(json)} AS BOOLEAN) END)`,
  json: toText,
};

function typeOf(json: string): string {
  return `json_typeof(CAST(${json} AS JSON))`;
}

/** Null for null. */
function toText(json: string): string {
  return `(${json} #>> '{}')`;
}

const arrayTypes: Readonly<Record<ColumnType | 'uuid', string>> = {
  uuid: 'UUID[]',
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
