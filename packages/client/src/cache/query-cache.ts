import { attempt } from '../attempt.ts';
import type { CallOptions, Client, ClientResult, Subscribable } from '../index.ts';
import { followOwner } from './follow-owner.ts';
import { type LoadPage, type Pages, toPageSource } from './pages.ts';
import {
  collectMs,
  createQueryStore,
  type QuerySource,
  type QueryState,
  type QueryStore,
  type Settle,
} from './query-store.ts';
import { showDuring } from './show-during.ts';

/** Results of queries, by query and input, shared by all components that show them, and kept for later ones. */
export interface QueryCache<Topic extends string = string> {
  /** Declares a query. Topics name the data that its result depends on. */
  readonly query: <T, Input = void>(
    topics: readonly Topic[],
    load: (input: Input, options: CallOptions) => Promise<ClientResult<T>>,
  ) => Query<Input, T>;
  /** Declares a query that is read page by page. A reload reads as many pages as there are. */
  readonly pages: <Item, Input = void>(
    topics: readonly Topic[],
    load: (input: Input, ...page: Parameters<LoadPage<Item>>) => ReturnType<LoadPage<Item>>,
  ) => Query<Input, Pages<Item>>;
  /**
   * Makes a call that writes. Its changes show at once, and are taken back if it fails; once it succeeds, every query
   * on the topics that it touches is out of date, in every tab.
   */
  readonly write: <Result extends ClientResult<unknown>>(
    call: () => Promise<Result>,
    effects: WriteEffects<Topic, Extract<Result, { readonly ok: true }>>,
  ) => Promise<Result>;
  /**
   * Says that every query on these topics is out of date, in every tab; those that are shown are read again.
   *
   * @param updatedAt - the times of changes, by the ids of their records, if nothing else has changed: writes that have
   * touched the topics are not news
   */
  readonly invalidate: (topics: readonly Topic[], updatedAt?: UpdatedAt) => void;
  /** Ends timers, and messages between tabs: for tests, and for hot module replacement. */
  readonly close: () => void;
}

/** The times at which records were changed, by their ids; null for a deleted record, by the end of its id. */
export type UpdatedAt = Readonly<Record<string, string | null>>;

/** The effects of a write on the results of queries. */
export interface WriteEffects<Topic extends string, Success = never> {
  readonly touches: readonly Topic[];
  /** The ids of records that the call deletes: notices of these deletions are not news. */
  readonly deletes?: readonly string[];
  /** Changes results before the server has answered, by {@link Query.change}; returns what that has returned. */
  readonly change?: () => readonly Settle[];
  /**
   * Puts what the server has answered into results, by {@link Query.merge}; returns what that has returned. They are not
   * read again, and so have to be what the server would send.
   */
  readonly merge?: (result: Success) => readonly Merge[];
}

/** Merges a write that was sent at a time into results, and returns those. */
export type Merge = (begunAt: number) => readonly unknown[];

/** A declared query. */
export interface Query<Input, T> {
  /** Returns the result for an input, the same object for equal inputs. */
  readonly at: (input: Input) => Subscribable<QueryState<T>>;
  /** Changes all results, until the function that it returns is called. An update may return the data as it is. */
  readonly change: (update: (data: T, input: Input) => T) => Settle;
  /**
   * Changes all results for good by what a write has returned. Those that the update returns nothing for are read again,
   * as are those that were out of date, or were read during the write, which may have them in part.
   */
  readonly merge: (update: (data: T, input: Input) => T | undefined) => Merge;
}

/** How many results are kept that no component shows. */
const mostUnwatched = 100;

/** How many writes are remembered whose notices do not come, such as where no notices do. */
const mostWritten = 1000;

/** The part of a client that is used. */
type CachingClient = Pick<Client, 'session'> & { readonly access: Pick<Client['access'], 'refresh'> };

/**
 * Creates a cache for one client and the topics of one app; a module that the server renders may create one, too. The
 * cache forgets everything when another user signs in, or the tenant changes. A tab reads its results again when it
 * becomes visible. The cache retries after a failure that may pass.
 *
 * @param name - tabs whose caches have the same name tell each other which topics are out of date
 * @example
 * ```ts
 * const cache = createQueryCache<'tasks'>(client, 'tracker');
 * const openTasks = cache.pages(['tasks'], (search: string, after, options) =>
 *   client.entities.tasks.list(
 *     { where: { done: false, title: { icontains: search } }, ...(after !== null && { after }) },
 *     options,
 *   ),
 * );
 * // In a component: const { data, error, loadMore } = useQuery(openTasks, 'rocket');
 * const complete = (id: string) =>
 *   cache.write(() => client.entities.tasks.update(id, { done: true }), {
 *     touches: ['tasks'],
 *     change: () => [openTasks.change((page) => ({ ...page, items: page.items.filter((task) => task.id !== id) }))],
 *   });
 * ```
 */
export function createQueryCache<Topic extends string = string>(
  { session, access }: CachingClient,
  name: string,
): QueryCache<Topic> {
  const entries = new Set<Entry>();
  // A server that renders the module has no page.
  const page = globalThis.document as Document | undefined;
  // Without a channel, other tabs read again when they are looked at.
  const channel = page && attempt(() => new BroadcastChannel(`x-cache:${name}`));

  /** What writes in this browser have touched: by record and time, until the notice of it is received. */
  const written = new Map<string, readonly string[]>();

  const expire = (topics: readonly string[], merged: readonly unknown[] = []): void => {
    for (const { topics: own, store } of entries)
      if (own.some((topic) => topics.includes(topic)) && !merged.includes(store)) store.expire();
  };
  const takeNews = (news: readonly string[], merged?: readonly unknown[]): void => {
    expire(news, merged);
    if (written.size > mostWritten) written.clear();
    for (const each of news) written.set(each, news);
  };
  const expireAll = (): void => entries.forEach(({ store }) => store.expire());
  const onVisible = (): void => {
    if (!page?.hidden) expireAll();
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => {
    takeNews(data);
    // The client reloads it after its own writes, and knows nothing of those of other tabs.
    if (session.getSnapshot().user) void access.refresh();
  });
  const stop = new AbortController();
  page?.addEventListener('visibilitychange', onVisible, stop);
  if (page) addEventListener('online', expireAll, stop);

  const unsubscribe = followOwner(session, () => {
    entries.forEach(({ store }) => store.reset());
    // The screen no longer shows data of another user by the time that they are read, and only shown ones are.
    expireAll();
  });

  return {
    query: (topics, load) => createQuery(entries, topics, (input) => ({ load: (_, options) => load(input, options) })),
    pages: (topics, load) => createQuery(entries, topics, (input) => toPageSource((...given) => load(input, ...given))),
    async write(call, { touches, deletes = [], change, merge }) {
      const begunAt = performance.now();
      const result = await showDuring(change?.() ?? [], call);
      if (result.ok) {
        const news = [...touches, ...timesOf(result.data as Written, deletes)];
        const merges = merge?.(result as Extract<typeof result, { readonly ok: true }>);
        takeNews(
          news,
          merges?.flatMap((into) => into(begunAt)),
        );
        channel?.postMessage(news);
      }
      return result;
    },
    invalidate(topics, updatedAt) {
      const tell = (): void => {
        expire(topics);
        channel?.postMessage(topics);
      };
      if (!updatedAt) return tell();
      // A notice may come a little before the response to the write that it is about.
      setTimeout(() => {
        const keys = Object.entries(updatedAt).map(String);
        const isOwn = keys[0] && keys.every((key) => topics.every((topic) => written.get(key)?.includes(topic)));
        // Each comes once.
        keys.forEach((key) => written.delete(key));
        if (!stop.signal.aborted && !isOwn) tell();
      }, collectMs);
    },
    close() {
      unsubscribe();
      channel?.close();
      stop.abort();
    },
  };
}

/** The result of a call that writes: a record, or several. */
type Written =
  | {
      readonly id?: string;
      readonly updatedAt?: string;
      readonly created?: readonly Written[];
      readonly updated?: readonly Written[];
    }
  | null
  | undefined;

/** Names what a write has changed as no topic is named: by the entries of {@link UpdatedAt} in its notices. */
function timesOf(data: Written, deletes: readonly string[]): readonly string[] {
  const deleted = deletes.map((id) => ({ id: id.slice(-8) }));
  return [data, ...(data?.created ?? []), ...(data?.updated ?? []), ...deleted].map((each: Written) =>
    String([each?.id, each?.updatedAt]),
  );
}

/** One result, of any query. */
interface Entry {
  readonly topics: readonly string[];
  readonly store: Pick<QueryStore<never>, 'isWatched' | 'expire' | 'reset'>;
  readonly drop: () => void;
}

function createQuery<Input, T>(
  entries: Set<Entry>,
  topics: readonly string[],
  toSource: (input: Input) => QuerySource<T>,
): Query<Input, T> {
  const stores = new Map<string, { readonly input: Input; readonly store: QueryStore<T> }>();
  return {
    at(input) {
      const key = JSON.stringify(input) ?? '';
      const found = stores.get(key);
      if (found) return found.store;
      dropOldest(entries);
      const store = createQueryStore(toSource(input));
      stores.set(key, { input, store });
      entries.add({ topics, store, drop: () => stores.delete(key) });
      return store;
    },
    change(update) {
      const changes = [...stores.values()].map(({ input, store }) => store.change((data) => update(data, input)));
      return (isKept) => changes.forEach((settle) => settle(isKept));
    },
    merge: (update) => (begunAt) =>
      [...stores.values()].flatMap(({ input, store }) =>
        store.merge((data) => update(data, input), begunAt) ? [store] : [],
      ),
  };
}

/** Makes room for one more result that may end up unwatched. */
function dropOldest(entries: Set<Entry>): void {
  const unwatched = [...entries].filter(({ store }) => !store.isWatched());
  unwatched.slice(0, -mostUnwatched).forEach((entry) => {
    entry.drop();
    entries.delete(entry);
  });
}
