import type { Clock } from '@x/store';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlExecutor } from './sql-executor.ts';

/** Creates a store on the database itself or in one of its transactions; what they share is created once, before. */
export type OnExecutor<Store> = (sql: SqlExecutor) => Store;

/** The dependencies of all stores, inside and outside of transactions. */
export interface SqlStoreDependencies {
  readonly dialect: SqlDialect;
  /** The only source of time. */
  readonly clock: Clock;
}
