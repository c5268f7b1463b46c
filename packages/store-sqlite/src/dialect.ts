import { assertStorableText, fromUnits } from '@x/store/engine';
import type { JsonType } from '@x/store/where';
import { type SqlChangeDialect, type SqlDialect, toImageOf, triggerPrefix } from '@x/store-sql';
import { columnLinks, lostReferences, widening } from './column-links.ts';
import { isRefusal } from './errors.ts';
import { catalog, existing } from './existing-tables.ts';

/**
 * Calls the guard that each connection defines. SQLite evaluates a condition without columns in the outer loop of a
 * join, and any other condition where its columns are known. Only an `OR` keeps it from separating the two.
 */
function rowGuard(column?: string): string {
  return column === undefined ? 'is_in_time() AND ' : `(${column} IS NULL OR is_in_time()) AND `;
}

/** Writers run one after another, so the numbers of changes are committed in their order. */
const changes: SqlChangeDialect = {
  position: "'0.' || seq",
  end: "(SELECT '0.' || COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'live_changes'), 0))",
  isAfter: (position) => `seq > CAST(substr(${position}, 3) AS INTEGER)`,
  isSettled: 'TRUE',
  order: 'seq',
  now: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  toImage: (members) =>
    toImageOf(
      members,
      (parts) => `json_object(${parts})`,
      // The patch leaves nulls out, and a missing member means null.
      (one, other) => `json_patch(${one}, ${other})`,
    ),
  // A shorter format would drop the last two digits.
  toImageCell: (type, cell) =>
    type === 'number' ? `CASE WHEN ${cell} IS NULL THEN NULL ELSE printf('%!.17g', ${cell}) END` : cell,
  listTriggers: `SELECT name, tbl_name AS table_name FROM sqlite_master
    WHERE type = 'trigger' AND substr(name, 1, ${triggerPrefix.length}) = '${triggerPrefix}'`,
  createTrigger: ({ name, table, event, condition, statement }) =>
    `CREATE TRIGGER ${name} AFTER ${event} ON "${table}" ${condition && `WHEN ${condition}`} BEGIN ${statement}; END`,
  dropTrigger: ({ name }) => `DROP TRIGGER ${name}`,
};

export const sqliteDialect: SqlDialect = {
  lockRow: '',
  lockDeleted: '',
  lockFreeRows: '',
  locks: null,
  keepsEventLoop: true,
  queriesMayWrite: false,
  columnTypes: {
    text: 'TEXT',
    integer: 'INTEGER',
    number: 'REAL',
    decimal: 'INTEGER',
    boolean: 'INTEGER',
    timestamp: 'INTEGER',
    date: 'TEXT',
    json: 'TEXT',
  },
  keyTypes: { text: 'TEXT', integer: 'INTEGER', uuid: 'TEXT' },
  toTextLiteral: (text) => `'${text.replaceAll("'", "''")}'`,
  // Decimals are stored in units of the last digit, because SQLite has no exact decimal type.
  encodeDecimal: (decimal) => Number(decimal.replace('.', '')),
  decodeDecimal: (cell, { scale }) => fromUnits(Number(cell), scale),
  catalog,
  existing,
  isRefusal,
  lostReferences,
  columnLinks,
  widening,
  // A sum of 64-bit integers may overflow. The sums of their upper and lower digits do not, up to a billion rows.
  sum: (column, type) =>
    type === 'number'
      ? `sum_exactly(${column})`
      : `CAST(SUM(${column} / ${lowerDigits}) AS TEXT) || ' ' || CAST(SUM(${column} % ${lowerDigits}) AS TEXT)`,
  decodeSum(cell, { type, decimal }) {
    if (type === 'number') return cell;
    const [upper = '', lower = ''] = cell.split(' ');
    return fromUnits(BigInt(upper) * BigInt(lowerDigits) + BigInt(lower), decimal?.scale ?? 0);
  },
  buildsIndexesBesideWrites: false,
  tableOptions: 'STRICT',
  textOperators: {
    contains: (text, part) => `${rowGuard()}instr(${text}, ${part}) > 0`,
    startsWith: (text, part) => `substr(${text}, 1, length(${part})) = ${part}`,
    // If the part is too long, the substring is shorter than the part, wherever it starts.
    endsWith: (text, part) => `substr(${text}, length(${text}) - length(${part}) + 1) = ${part}`,
  },
  foldCase: (text) => `fold_case(${text})`,
  // The steps are compared with unescaped names, which the paths of SQLite can't express. The column is read apart,
  // because json_each has columns of its own, whatever they are called here.
  jsonAtPath(column, { path, as }, bind) {
    const last = path.length - 1;
    const tables = path.map(
      (_, at) => `json_each(${at === 0 ? 'document_.json' : nested(`step${at - 1}_`)}) AS step${at}_`,
    );
    const steps = path.map((step, at) => `CAST(step${at}_.key AS TEXT) = ${bind(step)}`);
    return (
      `(SELECT ${jsonValues[as](`step${last}_`)} FROM (SELECT ${column} AS json) AS document_ ` +
      `CROSS JOIN ${tables.join(' CROSS JOIN ')} WHERE ${steps.join(' AND ')})`
    );
  },
  toList(values) {
    // JSON escapes characters, so texts are checked before.
    for (const value of values) if (typeof value === 'string') assertStorableText(value);
    return JSON.stringify(values);
  },
  in: (_type, list) => `IN (SELECT value FROM json_each(${list}))`,
  isOneOf: (query) => `IN (${query})`,
  selectTexts: (list) => `SELECT value, key AS place FROM json_each(${list})`,
  rowGuard,
  // Both loops run in order: CROSS JOIN keeps the order of the tables, and an IN visits rows in the order of its
  // values.
  selectEach: ({ selection, table, id, list, condition, limit }) =>
    `SELECT ${selection} FROM (SELECT value AS "_text" FROM json_each(${list})) AS each_ CROSS JOIN ${table}
    WHERE ${table}.${id} IN (
      SELECT row_.${id} FROM ${table} AS row_ WHERE ${condition('each_."_text"')} ORDER BY row_.${id} LIMIT ${limit}
    )`,
  joinFirst: ({ outer, table, column, condition, limit }) =>
    `${outer} CROSS JOIN ${table} AS first_ ON ${condition('first_')} AND first_.${column} IN (
      SELECT DISTINCT one_.${column} FROM ${table} AS one_ WHERE ${condition('one_')} ORDER BY one_.${column} LIMIT ${limit}
    )`,
  toJson: (value) => value,
  toJsonPair: (first, second) => `json_array(${first}, ${second})`,
  jsonAgg: (column) => `json_group_array(${column})`,
  changes,
};

/** Returns what a step of a path leads to, if further steps lead on from there. */
function nested(step: string): string {
  return `CASE WHEN ${step}.type IN ('object', 'array') THEN ${step}.value END`;
}

/** Reads the value that the last step of a path leads to. */
const jsonValues: Readonly<Record<JsonType, (step: string) => string>> = {
  text: (step) => `CASE WHEN ${step}.type = 'text' THEN ${step}.value END`,
  // An integer with more digits than a double has is the nearest double.
  number: (step) => `CASE WHEN ${step}.type IN ('integer', 'real') THEN CAST(${step}.value AS REAL) END`,
  boolean: (step) => `CASE WHEN ${step}.type IN ('true', 'false') THEN ${step}.value END`,
  json: (step) => `NULLIF(${step}.type, 'null')`,
};

/** Divides an integer of up to 16 digits into two numbers. */
const lowerDigits = 10_000_000;
