import type { SqlDialect } from '../sql-dialect.ts';
import type { SqlExecutor } from '../sql-executor.ts';

/** A table as the database has it, with changes that were made by hand. */
export interface CatalogTable {
  /** By their names; empty if there is no such table. */
  readonly columns: ReadonlyMap<string, CatalogColumn>;
  /** The names of the indexes that can be used. */
  readonly indexes: ReadonlySet<string>;
}

/** A column as the database has it. */
interface CatalogColumn {
  /** In lower case, without a length or a collation. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
}

/** Reads what the database knows of a table. */
export async function readCatalog(
  executor: Pick<SqlExecutor, 'read'>,
  { catalog }: SqlDialect,
  table: string,
): Promise<CatalogTable> {
  const columns = await executor.read(catalog.columns, [table]);
  const indexes = await executor.read(catalog.indexes, [table]);
  return {
    columns: new Map(
      columns.map((row) => [
        String(row['name']),
        {
          type: String(row['type']).toLowerCase(),
          isRequired: Boolean(row['is_required']),
          hasDefault: Boolean(row['has_default']),
        },
      ]),
    ),
    indexes: new Set(indexes.map(({ name }) => String(name))),
  };
}
