import { assertStorableText, fromUnits } from '@x/store/engine';
import type { SqlDialect } from '@x/store-sql';

/**
 * Calls the function that each connection defines. SQLite evaluates a condition without columns in the outer loop of a
 * join, and any other where its columns are known; only an `OR` keeps it from taking the two apart.
 */
function rowGuard(column?: string): string {
  return column === undefined ? 'is_in_time() AND ' : `(${column} IS NULL OR is_in_time()) AND `;
}

/** Removes the guards from a statement. All of its texts are bound, so the name is nowhere else. */
export function withoutRowGuard(text: string): string {
  return text.replaceAll(/(?:is_in_time\(\)|\([\w.]+ IS NULL OR is_in_time\(\)\)) AND /g, '');
}

/** The dialect of SQLite. */
export const sqliteDialect: SqlDialect = {
  lockRow: '',
  lockFreeRows: '',
  locks: null,
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
  // In units of the last digit, since SQLite has no exact type with a point.
  encodeDecimal: (decimal) => Number(decimal.replace('.', '')),
  decodeDecimal: (cell, { scale }) => fromUnits(Number(cell), scale),
  buildsIndexesBesideWrites: false,
  tableOptions: 'STRICT',
  textOperators: {
    contains: (text, part) => `${rowGuard()}instr(${text}, ${part}) > 0`,
    startsWith: (text, part) => `substr(${text}, 1, length(${part})) = ${part}`,
    // If the part is too long, what is cut off is shorter than the part, wherever the cut starts.
    endsWith: (text, part) => `substr(${text}, length(${text}) - length(${part}) + 1) = ${part}`,
  },
  foldCase: (text) => `fold_case(${text})`,
  toList(values) {
    // JSON escapes texts, so they are checked before.
    for (const value of values) if (typeof value === 'string') assertStorableText(value);
    return JSON.stringify(values);
  },
  in: (_type, list) => `IN (SELECT value FROM json_each(${list}))`,
  selectTexts: (list) => `SELECT value, key AS place FROM json_each(${list})`,
  rowGuard,
  // Both loops run in their order: CROSS JOIN keeps that of the tables, and the rows of an IN are visited by its values.
  selectEach: ({ selection, table, list, condition, limit }) =>
    `SELECT ${selection} FROM (SELECT value AS "_text" FROM json_each(${list})) AS each_ CROSS JOIN ${table}
    WHERE ${table}."id" IN (
      SELECT row_."id" FROM ${table} AS row_ WHERE ${condition('each_."_text"')} ORDER BY row_."id" LIMIT ${limit}
    )`,
  toJson: (value) => value,
  jsonAgg: (column) => `json_group_array(${column})`,
};
