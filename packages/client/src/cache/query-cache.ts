import { attempt } from '../attempt.ts';
import type { CallOptions, Client, ClientResult, Subscribable } from '../index.ts';
import { followOwner } from './follow-owner.ts';
import { type LoadPage, type Pages, toPageSource } from './pages.ts';
import { createQueryStore, type QuerySource, type QueryState, type QueryStore, type Settle } from './query-store.ts';
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
    effects: WriteEffects<Topic>,
  ) => Promise<Result>;
  /** Says that every query on these topics is out of date, in every tab; those that are shown are read again. */
  readonly invalidate: (topics: readonly Topic[]) => void;
  /** Ends timers, and messages between tabs: for tests, and for hot module replacement. */
  readonly close: () => void;
}

/** The effects of a write on the results of queries. */
export interface WriteEffects<Topic extends string> {
  readonly touches: readonly Topic[];
  /** Changes results before the server has answered, by {@link Query.change}; returns what that has returned. */
  readonly change?: () => readonly Settle[];
}

/** A declared query. */
export interface Query<Input, T> {
  /** Returns the result for an input, the same object for equal inputs. */
  readonly at: (input: Input) => Subscribable<QueryState<T>>;
  /** Changes all results, until the function that it returns is called. An update may return the data as it is. */
  readonly change: (update: (data: T, input: Input) => T) => Settle;
}

/** How many results are kept that no component shows. */
const mostUnwatched = 100;

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

  const expire = (topics: readonly string[]): void => {
    for (const entry of entries) if (entry.topics.some((topic) => topics.includes(topic))) entry.store.expire();
  };
  const expireAll = (): void => entries.forEach(({ store }) => store.expire());
  const onVisible = (): void => {
    if (!page?.hidden) expireAll();
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => {
    expire(data);
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

  const invalidate = (topics: readonly Topic[]): void => {
    expire(topics);
    channel?.postMessage(topics);
  };
  return {
    query: (topics, load) => createQuery(entries, topics, (input) => ({ load: (_, options) => load(input, options) })),
    pages: (topics, load) => createQuery(entries, topics, (input) => toPageSource((...given) => load(input, ...given))),
    async write(call, { touches, change }) {
      const result = await showDuring(change?.() ?? [], call);
      if (result.ok) invalidate(touches);
      return result;
    },
    invalidate,
    close() {
      unsubscribe();
      channel?.close();
      stop.abort();
    },
  };
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
