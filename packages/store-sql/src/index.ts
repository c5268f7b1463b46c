export { cutRows } from './cut-rows.ts';

export { toImageOf, triggerPrefix } from './evolution/change-triggers.ts';

export { createSqlStores } from './create-sql-stores.ts';
export type { SqlEngineOptions, SqlStoresOptions } from './create-sql-stores.ts';
export { DuplicateKeyError, ForeignKeyError, toValues } from './sql-driver.ts';
export type {
  IndexBuild,
  MigrationExecutor,
  MigrationSession,
  QueryOptions,
  QueryResult,
  SqlChangeDialect,
  SqlDialect,
  SqlDriver,
  SqlRow,
  SqlExecutor,
  SqlValue,
  SqlValues,
} from './sql-driver.ts';

export { inSavepoint, withTransactionExecutor } from './transaction-executor.ts';
export type { OpenTransaction } from './transaction-executor.ts';

export { InFlightCalls } from './in-flight-calls.ts';

export { applyNextMigration } from './migrations.ts';
export type { Migration } from './migrations.ts';

export { TextCache } from './text-cache.ts';
