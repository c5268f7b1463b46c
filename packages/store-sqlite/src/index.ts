export { createSqliteStores } from './create-sqlite-stores.ts';
export type { SqliteStores, SqliteStoresOptions } from './create-sqlite-stores.ts';
