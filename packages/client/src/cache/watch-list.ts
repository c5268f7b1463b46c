import type { FieldOf, ListQuery, Model, Models, PathOf, SerializedRecord } from '@x/entity';
import type { CallOptions, EntityClient, ReceivedRecord, Subscribable } from '../index.ts';
import type { EntityWrite } from '../session/tab-session.ts';
import { followOwner } from './follow-owner.ts';
import { type LoadPage, type Pages, toPageSource } from './pages.ts';
import { createQueryStore, type QueryState, type QueryStore, type Settle } from './query-store.ts';

/**
 * Watches the first pages of a list. They are requested once there is a subscriber; all that watch the same query of an
 * entity share its requests.
 *
 * The list follows the writes of its client. A record that was updated changes in place, one that was deleted leaves,
 * and after any write the pages are requested again, which puts new records in their place. For another user or tenant
 * it begins anew.
 *
 * @example
 * ```ts
 * const stop = watchList(client.entities.tasks, { where: { done: false } }).subscribe(({ data, error }) => {
 *   console.log(error?.code ?? data?.items.map(({ title }) => title));
 * });
 * ```
 */
export function watchList<
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
): Subscribable<QueryState<Pages<ReceivedRecord<M, All, Field, Path, Entitlement | Recorded>>>> {
  const key = JSON.stringify(query);
  const lists = watchedLists(entity);
  return {
    getSnapshot: () => lists.get(key)?.getSnapshot() ?? unwatched,
    subscribe(listener) {
      const list = lists.get(key) ?? createList(entity as unknown as AnyEntity, key);
      lists.set(key, list);
      const stop = list.subscribe(listener);
      return () => {
        stop();
        if (list.isWatched() || lists.get(key) !== list) return;
        lists.delete(key);
        list.close();
      };
    },
  };
}

/** Changes the records that a list shows; `query` is that of the list, so that it can tell what belongs there. */
export type RowsUpdate<M extends Model> = (
  rows: readonly SerializedRecord<M>[],
  query: ListQuery<M>,
) => readonly SerializedRecord<M>[];

/** A list that has subscribers. */
interface WatchedList extends Pick<QueryStore<Pages<never>>, 'subscribe' | 'getSnapshot' | 'isWatched'> {
  readonly change: (update: AnyUpdate) => Settle;
  readonly close: () => void;
}

/** An update of records of which nothing but their ids is known. */
export type AnyUpdate = (rows: readonly AnyRow[], query: object) => readonly AnyRow[];

interface AnyRow {
  readonly id?: string;
}

/** Returns the lists of an entity that have subscribers, by their queries. */
export function watchedLists(entity: object): Map<string, WatchedList> {
  const lists = allLists.get(entity) ?? new Map<string, WatchedList>();
  allLists.set(entity, lists);
  return lists;
}

const allLists = new WeakMap<object, Map<string, WatchedList>>();

const unwatched: QueryState<never> = {
  data: undefined,
  error: null,
  isLoading: false,
  async reload() {},
  loadMore() {},
};

interface AnyEntity extends Pick<EntityClient<Model>, 'session'> {
  readonly list: (query: object, options: CallOptions) => ReturnType<LoadPage<never>>;
}

function createList({ list: load, session }: AnyEntity, key: string): WatchedList {
  const query = JSON.parse(key) as object;
  const list = createQueryStore<Pages<never>>(
    toPageSource((after, options) => load({ ...query, ...(after && { after }) }, options)),
  );
  const change = (update: AnyUpdate): Settle =>
    list.change((pages) => {
      const items = update(pages.items, query) as readonly never[];
      return { ...pages, items, total: pages.total && pages.total + items.length - pages.items.length };
    });
  const apply = (write: EntityWrite | void): void => {
    if (!write) return;
    const [path, { method }, { data }] = write;
    if (method === 'PATCH' || method === 'DELETE') {
      const id = path.replace(/.*\//, '');
      change(method === 'PATCH' ? replaceRow(id, data) : withoutRow(id))(true);
    }
    list.expire();
  };
  const stops = [
    session.touched.subscribe(apply),
    followOwner(session, () => {
      list.reset();
      list.expire();
    }),
  ];
  return { ...list, change, close: () => stops.forEach((stop) => stop()) };
}

/** Replaces fields of the row with an id, which keeps all others, such as related records. */
export function replaceRow(id: string, fields: unknown): AnyUpdate {
  return (rows) => rows.map((row) => (row.id === id ? { ...row, ...(fields as object) } : row));
}

/** Removes the row with an id. */
export function withoutRow(id: string): AnyUpdate {
  return (rows) => rows.filter((row) => row.id !== id);
}
