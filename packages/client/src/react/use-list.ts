import type { FieldOf, ListQuery, Model, Models, PathOf } from '@x/entity';
import { useMemo } from 'react';
import type { CallOptions, ClientError, ClientResult, EntityClient, ReceivedRecord, Subscribable } from '../index.ts';
import { useSubscribable } from './use-session.ts';

/**
 * Returns the first pages of a list, and renders again when they change. It reloads when the query changes, and after
 * each write of the client. If the list depends on the user, pass their id to the component as its `key`, so that
 * another user starts with an empty list.
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
  query: ListQuery<M, Field, Path, Entitlement, boolean, All> = {},
): ListState<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>> {
  // Queries are usually object literals, so each render has a new one with the same content.
  const text = JSON.stringify(query);
  const store = useMemo(
    () =>
      createListStore({
        list: (after, options) =>
          entity.list({ ...(JSON.parse(text) as typeof query), ...(after && { after }) }, options),
        onWrite: entity.onWrite,
      }),
    [entity, text],
  );
  return useSubscribable(store);
}

/** The state of a list, for display. */
export interface ListState<Item> {
  /** `loading`: no response yet. Later requests keep the items until their responses arrive. */
  readonly status: 'loading' | 'ready' | 'failed';
  /** Empty if the server refused the last request; unchanged if the server could not be reached. */
  readonly items: readonly Item[];
  /** Why the last request failed; null if it did not. */
  readonly error: ClientError | null;
  readonly hasNextPage: boolean;
  /** The number of records on all pages, if the query has `count`. */
  readonly total: number | undefined;
  /** Adds the next page, if there is one. */
  readonly loadMore: () => void;
  /** Reloads the pages that are shown. */
  readonly reload: () => void;
}

/** The source of a list's pages. */
export interface ListSource<Item> {
  readonly list: (after: string | null, options: CallOptions) => Promise<ClientResult<AnyPage<Item>>>;
  /** Calls the listener when the list may have changed; returns the function that unsubscribes. */
  readonly onWrite: (listener: () => void) => () => void;
}

interface AnyPage<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  readonly total?: number;
}

/** Creates a list that is loaded while it has subscribers. Requests that are no longer needed are aborted. */
export function createListStore<Item>({ list, onWrite }: ListSource<Item>): Subscribable<ListState<Item>> {
  const listeners = new Set<() => void>();
  let work: AbortController | undefined;
  let stopListening: () => void;
  /** How many pages are shown, or else wanted, and the cursor of the one after them. */
  let pages = 1;
  let next: string | null = null;

  /** Loads pages, after as many as are kept, up to the wanted one. */
  const load = async (kept: number, wanted: number): Promise<void> => {
    work?.abort();
    const { signal } = (work = new AbortController());
    let items = kept ? state.items : [];
    let after = kept ? next : null;
    let total: number | undefined;
    do {
      const result = await list(after, { signal });
      if (signal.aborted) return;
      if (!result.ok) return fail(result.error);
      ({ nextCursor: after, total } = result.data);
      items = [...items, ...result.data.items];
      kept++;
    } while (after && kept < wanted);
    pages = kept;
    next = after;
    show({ status: 'ready', items, error: null, total, hasNextPage: !!next });
  };
  const fail = (error: ClientError): void =>
    // A refusal has a status; NaN, which other failures have, is not less.
    show({ status: 'failed', error, ...(Number(error.status) < 500 && { items: [], hasNextPage: false }) });
  const show = (change: Partial<ListState<Item>>): void => {
    state = { ...state, ...change };
    listeners.forEach((listener) => listener());
  };
  const reload = (): void => void load(0, pages);
  let state: ListState<Item> = {
    status: 'loading',
    items: [],
    error: null,
    hasNextPage: false,
    total: undefined,
    loadMore: () => {
      if (state.hasNextPage) void load(pages, pages + 1);
    },
    reload,
  };
  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1) {
        stopListening = onWrite(reload);
        reload();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size) return;
        stopListening();
        work?.abort();
      };
    },
  };
}
