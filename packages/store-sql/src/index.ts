export { createSqlStores } from './create-sql-stores.ts';
export type { SqlStoresOptions } from './create-sql-stores.ts';
export { DuplicateKeyError } from './duplicate-key-error.ts';
export { ForeignKeyError } from './foreign-key-error.ts';
export type { MigrationScope, SqlDialect, SqlDriver, SqlRow, SqlScope, SqlValue, SqlValues } from './sql-driver.ts';

export type { OpenTransaction } from './open-transaction.ts';
export { inSavepoint } from './savepoint.ts';
export { withTransactionScope } from './transaction-scope.ts';

export { applyNextMigration } from './apply-next-migration.ts';
export type { Migration } from './plan-migrations.ts';
