import { useSyncExternalStore } from 'react';
import type { Query } from './query-cache.ts';
import type { QueryState } from './query-store.ts';

/**
 * Returns the result of a query of a cache, and renders again when it changes. A result that is there already is
 * returned at once; it is read on first use, or once it is out of date.
 *
 * @example
 * ```ts
 * const { data, error, isLoading, reload } = useQuery(tasksByState, filter);
 * ```
 */
export function useQuery<Input, T>(query: Query<Input, T>, input: Input): QueryState<T> {
  const { subscribe, getSnapshot } = query.at(input);
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}
