import type { DescribedColumn, ForeignKey, SqlRow, TableInspector } from '@x/store-sql';
import { existing } from './existing-tables.ts';

/** How Postgres tells what a declaration of an existing table has to say. */
export const inspector: TableInspector = {
  ...existing,
  async readDetails(sql, { sql: name }) {
    const columns = await sql.read(selectDetails, [name]);
    const checks = await sql.read(selectChecks, [name]);
    const references = await sql.read(selectReferences, [name]);
    return {
      identity: String(columns[0]?.['identity']),
      columns: new Map(
        columns.map((row) => [
          String(row['name']),
          {
            type: String(row['type']),
            default: row['default_'] as string | null,
            values: toValues(row, checks),
          },
        ]),
      ),
      references: references.map((row) => ({
        column: String(row['name']),
        identity: String(row['identity']),
        table: String(row['table_']),
        referred: String(row['referred']),
        onDelete: actions[String(row['action'])] ?? 'restrict',
      })),
    };
  },
  toFieldType({ type, isEnum }: DescribedColumn) {
    return isEnum ? 'text' : (fieldTypes[type] ?? null);
  },
};

const selectDetails = `
  SELECT attname AS name, format_type(atttypid, atttypmod) AS type, CAST(CAST(attrelid AS BIGINT) AS TEXT) AS identity,
    CASE WHEN attgenerated = '' THEN pg_get_expr(adbin, adrelid) END AS default_,
    (SELECT CAST(json_agg(enumlabel ORDER BY enumsortorder) AS TEXT) FROM pg_enum WHERE enumtypid = atttypid) AS labels
  FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;

const selectChecks = `
  SELECT attname AS name, pg_get_constraintdef(pg_constraint.oid) AS definition
  FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
  WHERE conrelid = to_regclass($1) AND contype = 'c' AND cardinality(conkey) = 1 ORDER BY conname`;

const selectReferences = `
  SELECT own.attname AS name, other.attname AS referred, CAST(CAST(confrelid AS BIGINT) AS TEXT) AS identity,
    CAST(CAST(confrelid AS REGCLASS) AS TEXT) AS table_, confdeltype AS action
  FROM pg_constraint
  JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = conkey[1]
  JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = confkey[1]
  WHERE conrelid = to_regclass($1) AND contype = 'f' AND cardinality(conkey) = 1 ORDER BY conname`;

const actions: Readonly<Record<string, ForeignKey['onDelete']>> = { c: 'cascade', n: 'setNull' };

const fieldTypes: Readonly<Record<string, ReturnType<TableInspector['toFieldType']>>> = {
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  real: 'number',
  'double precision': 'number',
  numeric: 'decimal',
  boolean: 'boolean',
  text: 'text',
  'character varying': 'text',
  uuid: 'uuid',
  'timestamp with time zone': 'timestamp',
  'timestamp without time zone': 'timestamp',
  date: 'date',
  json: 'json',
  jsonb: 'json',
};

/** Returns the texts of an enumeration, or of `CHECK (state IN ('a', 'b'))`, as Postgres writes it. */
function toValues({ name, labels }: SqlRow, checks: readonly SqlRow[]): readonly string[] | null {
  if (labels !== null) return JSON.parse(labels as string) as readonly string[];
  for (const check of checks.filter((each) => each['name'] === name)) {
    const list = /^CHECK \(\(\S+ = ANY \(\(?ARRAY\[(.*)\]\)?(?:::text\[\])?\)\)\)$/.exec(
      String(check['definition']),
    )?.[1];
    const items = [...(list ?? '').matchAll(/\(?'((?:[^']|'')*)'::(?:text|character varying)\)?(?:::text)?/g)];
    if (items.length > 0 && items.map(([item]) => item).join(', ') === list) {
      return items.map(([, text = '']) => text.replaceAll("''", "'"));
    }
  }
  return null;
}
