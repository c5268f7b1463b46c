export { createSqlStores } from './create-sql-stores.ts';
export type { SqlStoresOptions } from './create-sql-stores.ts';
export { DuplicateKeyError } from './sql-driver.ts';
export { ForeignKeyError } from './sql-driver.ts';
export type { MigrationScope, SqlDialect, SqlDriver, SqlRow, SqlScope, SqlValue, SqlValues } from './sql-driver.ts';

export type { OpenTransaction } from './transaction-scope.ts';
export { inSavepoint } from './transaction-scope.ts';
export { withTransactionScope } from './transaction-scope.ts';

export { applyNextMigration } from './migrations.ts';
export type { Migration } from './migrations.ts';
