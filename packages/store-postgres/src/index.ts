export { createPostgresStores } from './create-postgres-stores.ts';
export type { PostgresStoresOptions } from './create-postgres-stores.ts';
