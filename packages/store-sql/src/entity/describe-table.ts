import { json } from '../columns.ts';
import type { DescribedColumn, DescribedTable, ExistingName, SqlCatalog } from '../sql-dialect.ts';
import type { SqlExecutor, SqlRow } from '../sql-executor.ts';

/** Describes a table or view by what the database knows of it; null if there is none. */
export async function describeTable(
  sql: Pick<SqlExecutor, 'read'>,
  catalog: SqlCatalog,
  name: ExistingName,
): Promise<DescribedTable | null> {
  const place = catalog.toPlace(name);
  const columns = await sql.read(catalog.columns, place);
  if (columns.length === 0) return null;
  const keys = await sql.read(catalog.keys, place);
  const indexes = await sql.read(catalog.indexes, place);
  return {
    isView: columns.some((row) => Boolean(row['is_view'])),
    columns: new Map(columns.map((row) => [String(row['name']), toColumn(row)])),
    keys: keys.map((row) => ({
      name: String(row['name']),
      isPrimary: Boolean(row['is_primary']),
      columns: json<readonly string[]>(row['columns']),
    })),
    indexes: new Set(indexes.map((row) => String(row['name']))),
  };
}

function toColumn(row: SqlRow): DescribedColumn {
  return {
    type: String(row['type']),
    isRequired: Boolean(row['is_required']),
    hasDefault: Boolean(row['has_default']),
    isComputed: Boolean(row['is_computed']),
    isEnum: Boolean(row['is_enum']),
    isBinary: Boolean(row['is_binary']),
    isLoose: Boolean(row['is_loose']),
    precision: Number(row['precision'] ?? 6),
  };
}
