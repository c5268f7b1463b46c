export { createQueryCache } from './cache/query-cache.ts';
export type { Pages } from './cache/pages.ts';
export type { Merge, Query, QueryCache, UpdatedAt, WriteEffects } from './cache/query-cache.ts';
export type { QueryState, Settle } from './cache/query-store.ts';
