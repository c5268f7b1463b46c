import type { DescribedColumn, SqlRow, TableInspector } from '@x/store-sql';
import { postgresDialect as dialect } from './dialect.ts';

/** How Postgres tells what a declaration of an existing table has to say. */
export const inspector: TableInspector = {
  dialect,
  selectDetails: () => `
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type, CAST(CAST(attrelid AS BIGINT) AS TEXT) AS identity,
      CASE WHEN attgenerated = '' THEN pg_get_expr(adbin, adrelid) END AS default_value,
      (SELECT CAST(json_agg(enumlabel ORDER BY enumsortorder) AS TEXT) FROM pg_enum WHERE enumtypid = atttypid) AS labels,
      (SELECT CAST(json_agg(pg_get_constraintdef(pg_constraint.oid) ORDER BY conname) AS TEXT) FROM pg_constraint
        WHERE conrelid = attrelid AND contype = 'c' AND conkey = ARRAY[attnum]) AS checks
    FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  references: `
    SELECT own.attname AS name, other.attname AS referred, CAST(CAST(confrelid AS BIGINT) AS TEXT) AS identity,
      CAST(CAST(confrelid AS REGCLASS) AS TEXT) AS referred_table,
      CASE confdeltype WHEN 'c' THEN 'cascade' WHEN 'n' THEN 'setNull' ELSE 'restrict' END AS on_delete
    FROM pg_constraint
    JOIN pg_attribute AS own ON own.attrelid = conrelid AND own.attnum = conkey[1]
    JOIN pg_attribute AS other ON other.attrelid = confrelid AND other.attnum = confkey[1]
    WHERE conrelid = to_regclass($1) AND contype = 'f' AND cardinality(conkey) = 1 ORDER BY conname`,
  toValues,
  toFieldType({ type, isEnum }: DescribedColumn) {
    return isEnum ? 'text' : (fieldTypes[type] ?? null);
  },
};

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
function toValues({ labels, checks }: SqlRow): readonly string[] | null {
  if (labels !== null) return JSON.parse(labels as string) as readonly string[];
  for (const check of JSON.parse((checks as string | null) ?? '[]') as readonly string[]) {
    const list = /^CHECK \(\(\S+ = ANY \(\(?ARRAY\[(.*)\]\)?(?:::text\[\])?\)\)\)$/.exec(check)?.[1];
    const items = [...(list ?? '').matchAll(/\(?'((?:[^']|'')*)'::(?:text|character varying)\)?(?:::text)?/g)];
    if (items.length > 0 && items.map(([item]) => item).join(', ') === list) {
      return items.map(([, text = '']) => text.replaceAll("''", "'"));
    }
  }
  return null;
}
