import type { ForeignKey, SqlRow, TableInspector } from '@x/store-sql';
import { existing } from './existing-tables.ts';

/** How SQLite tells what a declaration of an existing table has to say. */
export const inspector: TableInspector = {
  ...existing,
  async readDetails(sql, { schema, table }) {
    const place = [table, schema ?? 'main'];
    const columns = await sql.read(selectDetails, place);
    const master = `"${place[1]?.replaceAll('"', '""')}".sqlite_schema`;
    const [made] = await sql.read(`SELECT sql FROM ${master} WHERE name = $1 COLLATE NOCASE`, [table]);
    const keys = Map.groupBy(await sql.read(selectReferences, place), (row) => Number(row['id']));
    const toIdentity = (name: unknown): string => `${place[1]}.${String(name)}`.toLowerCase();
    return {
      identity: toIdentity(table),
      columns: new Map(
        columns.map((row) => [
          String(row['name']),
          {
            type: String(row['type']),
            default: row['default_'] as string | null,
            values: toValues(String(row['name']), String(made?.['sql'])),
          },
        ]),
      ),
      references: [...keys.values()].flatMap(([first, ...others]) =>
        first && others.length === 0 ? [toForeignKey(first, toIdentity(first['table_']))] : [],
      ),
    };
  },
  toFieldType({ type }) {
    return fieldTypes.find(([names]) => names.test(type))?.[1] ?? null;
  },
};

const selectDetails = `
  SELECT name, type, dflt_value AS default_ FROM pragma_table_xinfo($1, $2) WHERE hidden <> 1`;

const selectReferences = `
  SELECT id, "table" AS table_, "from" AS name, "to" AS referred, on_delete AS action
  FROM pragma_foreign_key_list($1, $2) ORDER BY id DESC`;

function toForeignKey(row: SqlRow, identity: string): ForeignKey {
  return {
    column: String(row['name']),
    identity,
    table: String(row['table_']),
    referred: row['referred'] as string | null,
    onDelete: actions[String(row['action'])] ?? 'restrict',
  };
}

const actions: Readonly<Record<string, ForeignKey['onDelete']>> = { CASCADE: 'cascade', 'SET NULL': 'setNull' };

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
function toValues(column: string, sql: string): readonly string[] | null {
  const name = column.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const list = new RegExp(
    `\\bCHECK\\s*\\(\\s*["\`[]?${name}["\`\\]]?\\s+IN\\s*\\(((?:\\s*'(?:[^']|'')*'\\s*,?)+)\\)\\s*\\)`,
    'i',
  ).exec(sql)?.[1];
  const items = list?.match(/'(?:[^']|'')*'/g);
  return items?.map((item) => item.slice(1, -1).replaceAll("''", "'")) ?? null;
}
