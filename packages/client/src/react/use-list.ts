import type { FieldOf, ListQuery, Model, Models, PathOf } from '@x/entity';
import { useMemo } from 'react';
import type { Pages } from '../cache/pages.ts';
import type { QueryState } from '../cache/query-store.ts';
import { watchList } from '../cache/watch-list.ts';
import type { EntityClient, ReceivedRecord } from '../index.ts';
import { useSubscribable } from './use-session.ts';

/**
 * Returns the first pages of a list, and renders again when they change, as {@link watchList} does for code without
 * React: components with the same query share its requests, and the list follows the writes of its client.
 *
 * @example
 * ```ts
 * const { data, error, loadMore } = useList(client.entities.tasks, { where: { done: false } });
 * ```
 */
export function useList<
  M extends Model,
  All extends Models,
  Known extends string,
  Recorded extends string,
  const Field extends FieldOf<M> = never,
  const Path extends PathOf<M, All> = never,
  const Entitlement extends Known = never,
>(
  entity: EntityClient<M, All, Known, Recorded>,
  query: ListQuery<M, Field, Path, Entitlement, boolean, All> = {},
): QueryState<Pages<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>>> {
  // Queries are usually object literals, so each render has a new one with the same content.
  const text = JSON.stringify(query);
  return useSubscribable(useMemo(() => watchList(entity, JSON.parse(text) as typeof query), [entity, text]));
}
