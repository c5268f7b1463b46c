export { createMemoryStores } from './create-memory-stores.ts';
export type { MemoryStoresOptions } from './create-memory-stores.ts';
