export type { Pages } from './cache/pages.ts';
export type { QueryState } from './cache/query-store.ts';
export { optimistic } from './cache/optimistic.ts';
export type { RowsUpdate } from './cache/watch-list.ts';
export { watchList } from './cache/watch-list.ts';
