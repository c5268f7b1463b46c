export { createSqliteStores } from './create-sqlite-stores.ts';
export type { SqliteStoresOptions } from './create-sqlite-stores.ts';
