import type { Model } from '@x/entity';
import { useMemo, useSyncExternalStore } from 'react';
import type { EntityClient, FieldOf, ListQuery, Models, PathOf, SelectedRecord } from '../index.ts';
import { createListStore, type ListState } from './list-store.ts';

/**
 * Returns the first pages of a list, and renders again when they change. It reloads when the query changes, and after each
 * write of the client. If the list depends on the user, pass their id to the component as its `key`, so that another user
 * starts with an empty list.
 *
 * @example
 * ```ts
 * const { status, items, hasNextPage, loadMore } = useList(client.entities.tasks, { where: { done: false } });
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
  query: ListQuery<M, Field, Path, Entitlement, boolean> = {},
): ListState<SelectedRecord<M, All, Field, Path, Entitlement | Recorded>> {
  // Queries are usually object literals, so each render has a new one with the same content.
  const text = JSON.stringify(query);
  const store = useMemo(
    () =>
      createListStore({
        list: (after, options) =>
          entity.list({ ...(JSON.parse(text) as typeof query), ...(after !== null && { after }) }, options),
        onWrite: entity.onWrite,
      }),
    [entity, text],
  );
  return useSyncExternalStore(store.subscribe, store.getSnapshot, store.getSnapshot);
}
