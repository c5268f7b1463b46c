export { createQueryCache } from './cache/query-cache.ts';
export type { Pages, Query, QueryCache, WriteEffects } from './cache/query-cache.ts';
export type { QueryState } from './cache/query-store.ts';
export { useQuery } from './cache/use-query.ts';
