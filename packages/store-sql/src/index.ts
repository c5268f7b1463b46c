export { cutRows } from './cut-rows.ts';

export { toImageOf, triggerPrefix } from './evolution/change-triggers.ts';

export { createSqlStores } from './create-sql-stores.ts';
export type { SqlEngineOptions, SqlStoresOptions } from './create-sql-stores.ts';
export { DuplicateKeyError, ForeignKeyError, reasonOf } from './errors.ts';
export { inspectTables, runInspect } from './inspect/run-inspect.ts';
export type { TableInspector } from './inspect/inspected-table.ts';
export type {
  ColumnForm,
  DescribedColumn,
  ExistingForm,
  SqlCatalog,
  SqlChangeDialect,
  SqlDialect,
  SqlExistingTables,
  WantedColumn,
} from './sql-dialect.ts';
export type { IndexBuild, MigrationExecutor, MigrationSession, SqlDriver } from './sql-driver.ts';
export { toValues } from './sql-executor.ts';
export type { QueryOptions, QueryResult, SqlRow, SqlExecutor, SqlValue, SqlValues } from './sql-executor.ts';

export { inSavepoint, withTransactionExecutor } from './transaction-executor.ts';
export type { OpenTransaction } from './transaction-executor.ts';

export { applyMigrations } from './migrations.ts';
export type { Migration } from './migrations.ts';
