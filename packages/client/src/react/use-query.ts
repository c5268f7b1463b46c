import type { Query } from '../cache/query-cache.ts';
import type { QueryState } from '../cache/query-store.ts';
import { useSubscribable } from './use-session.ts';

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
  return useSubscribable(query.at(input));
}
