import type { ColumnType } from '@x/store';
import type {
  ColumnForm,
  DescribedColumn,
  ExistingForm,
  SqlCatalog,
  SqlExistingTables,
  WantedColumn,
} from '@x/store-sql';

/** How Postgres tells what it knows of a table. */
export const catalog: SqlCatalog = {
  toPlace: ({ sql }) => [sql],
  columns: `
    SELECT attname AS name, format_type(atttypid, NULL) AS type, attnotnull AS is_required,
      (atthasdef OR attidentity <> '') AS has_default, (attgenerated <> '' OR attidentity = 'a') AS is_computed,
      (SELECT typtype = 'e' FROM pg_type WHERE pg_type.oid = atttypid) AS is_enum,
      CASE WHEN atttypmod >= 0 THEN atttypmod END AS precision,
      COALESCE((
        SELECT CASE WHEN collname = 'default' THEN datcollate ELSE collname END IN ('C', 'POSIX')
        FROM pg_collation CROSS JOIN pg_database WHERE pg_collation.oid = attcollation AND datname = current_database()
      ), FALSE) AS is_binary,
      (SELECT NOT collisdeterministic FROM pg_collation WHERE pg_collation.oid = attcollation) AS is_loose,
      relkind IN ('v', 'm') AS is_view
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
  keys: `
    SELECT relname AS name, indisprimary AS is_primary, CAST(json_agg(attname ORDER BY place) AS TEXT) AS columns
    FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    CROSS JOIN LATERAL unnest((CAST(indkey AS INT2[]))[0:indnkeyatts - 1]) WITH ORDINALITY AS part (number, place)
    JOIN pg_attribute ON attrelid = indrelid AND attnum = part.number
    WHERE indrelid = to_regclass($1) AND indisunique AND indisvalid AND indpred IS NULL AND indexprs IS NULL
    GROUP BY relname, indisprimary ORDER BY relname`,
  indexes: `
    SELECT relname AS name FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
    WHERE indrelid = to_regclass($1) AND indisvalid`,
};

/** What Postgres holds in the columns of tables that it has without us. */
export const existing: SqlExistingTables = {
  toForm,
  // The engine compares both columns without a conversion.
  whyNotReferred: (_, key, { type, isLoose }) =>
    keyTypes[key].includes(type) && !isLoose ? null : `is ${isLoose ? 'in another collation' : type}`,
};

const integers = ['smallint', 'integer', 'bigint'];
const texts = ['text', 'character varying'];
const keyTypes = { text: texts, integer: integers, uuid: ['uuid'] };

function toForm({ type, key }: WantedColumn, column: DescribedColumn, name: string): ExistingForm | null {
  if (key !== undefined && key !== 'text') return toKeyForm(key, column, name);
  if (type === 'text') return toTextForm(column, name);
  if (type === 'timestamp') return toMomentForm(column, name);
  if (type === 'date' && column.type === 'date') {
    return {
      toShown: (value) => `to_char(${value}, 'YYYY-MM-DD')`,
      toCompared: (value) => `CAST(${value} AS DATE)`,
    };
  }
  return typesOf[type].includes(column.type) ? {} : null;
}

/** The types of columns that hold values as we store them. */
const typesOf: Readonly<Record<ColumnType, readonly string[]>> = {
  text: texts,
  integer: integers,
  number: [...integers, 'real', 'double precision', 'numeric'],
  decimal: [...integers, 'numeric'],
  boolean: ['boolean'],
  timestamp: ['bigint'],
  date: texts,
  json: ['json', 'jsonb'],
};

/** Converts ids, which are texts to us. */
function toKeyForm(key: 'integer' | 'uuid', { type }: DescribedColumn, name: string): ColumnForm | null {
  if (key === 'integer' ? !integers.includes(type) : type !== 'uuid') return null;
  const sqlType = key === 'integer' ? 'BIGINT' : 'UUID';
  return { listType: key, ...toCast(name, sqlType) };
}

function toCast(name: string, sqlType: string): ColumnForm {
  return {
    text: `CAST(${name} AS TEXT)`,
    toShown: (value) => `CAST(${value} AS TEXT)`,
    toCompared: (value) => `CAST(${value} AS ${sqlType})`,
  };
}

function toTextForm({ type, isEnum, isBinary, isLoose }: DescribedColumn, name: string): ExistingForm | null {
  const text = `CAST(${name} AS TEXT)`;
  if (isEnum) return { sql: text, sorted: `${text} COLLATE "C"`, toStored: (value) => `CAST(${value} AS ${type})` };
  if (type === 'uuid') return { listType: 'uuid', ...toCast(name, 'UUID') };
  if (!texts.includes(type)) return null;
  if (isBinary) return {};
  const sorted = `${name} COLLATE "C"`;
  return isLoose ? { sql: sorted } : { sorted };
}

/** Converts moments, which are milliseconds to us. A finer one is cut off wherever it is compared. */
function toMomentForm({ type, precision = 6 }: DescribedColumn, name: string): ExistingForm | null {
  if (type === 'bigint') return {};
  const isZoned = type === 'timestamp with time zone';
  if (!isZoned && type !== 'timestamp without time zone') return null;
  // Seconds and the rest by themselves, because a double has no room for all digits of late moments.
  const toMoment = (value: string): string =>
    `(to_timestamp(CAST(${value} AS BIGINT) / 1000) + CAST(${value} AS BIGINT) % 1000 * INTERVAL '1 millisecond')`;
  return {
    // Infinity, which is no moment of ours, counts as null, except where an index may have the column as it is.
    ...(precision > 3 && {
      sql: `CASE WHEN isfinite(${name}) THEN date_trunc('milliseconds', ${name}) END`,
      mayBeNull: true,
    }),
    toShown: (value) =>
      `CASE WHEN isfinite(${value}) THEN CAST(FLOOR(EXTRACT(EPOCH FROM ${value}) * 1000) AS BIGINT) END`,
    toCompared: (value) => (isZoned ? toMoment(value) : `(${toMoment(value)} AT TIME ZONE 'UTC')`),
  };
}
