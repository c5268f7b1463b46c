import type { SqlRow, TableInspector } from '@x/store-sql';
import { sqliteDialect as dialect } from './dialect.ts';

/** How SQLite tells what a declaration of an existing table has to say. */
export const inspector: TableInspector = {
  dialect,
  selectDetails: ({ schema }) => `
    SELECT name, type, dflt_value AS default_value, lower($2 || '.' || $1) AS identity, (
      SELECT sql FROM "${(schema ?? 'main').replaceAll('"', '""')}".sqlite_schema AS made
      WHERE made.name = $1 COLLATE NOCASE
    ) AS definition
    FROM pragma_table_xinfo($1, $2) WHERE hidden <> 1`,
  references: `
    SELECT "from" AS name, "table" AS referred_table, "to" AS referred, lower($2 || '.' || "table") AS identity,
      CASE on_delete WHEN 'CASCADE' THEN 'cascade' WHEN 'SET NULL' THEN 'setNull' ELSE 'restrict' END AS on_delete
    FROM pragma_foreign_key_list($1, $2) GROUP BY id HAVING COUNT(*) = 1 ORDER BY id DESC`,
  toValues,
  toFieldType({ type }) {
    return fieldTypes.find(([names]) => names.test(type))?.[1] ?? null;
  },
};

/** What people keep in a column by the words of its type, of which the first counts. */
const fieldTypes: readonly (readonly [RegExp, ReturnType<TableInspector['toFieldType']>])[] = [
  [/bool/, 'boolean'],
  [/int/, 'integer'],
  [/char|clob|text/, 'text'],
  [/blob/, null],
  [/real|floa|doub/, 'number'],
  [/datetime|timestamp/, 'timestamp'],
  [/^date$/, 'date'],
  [/^json$/, 'json'],
  [/dec|numeric/, 'decimal'],
];

/** Returns the texts of `CHECK (state IN ('a', 'b'))`. */
function toValues({ name: column, definition }: SqlRow): readonly string[] | null {
  const name = String(column).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const list = new RegExp(
    `\\bCHECK\\s*\\(\\s*["\`[]?${name}["\`\\]]?\\s+IN\\s*\\(((?:\\s*'(?:[^']|'')*'\\s*,?)+)\\)\\s*\\)`,
    'i',
  ).exec(String(definition))?.[1];
  const items = list?.match(/'(?:[^']|'')*'/g);
  return items?.map((item) => item.slice(1, -1).replaceAll("''", "'")) ?? null;
}
