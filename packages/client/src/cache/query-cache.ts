import { attempt } from '../attempt.ts';
import type { CallOptions, Client, ClientResult, Page, Subscribable } from '../index.ts';
import { createQueryStore, type QuerySource, type QueryState, type QueryStore } from './query-store.ts';

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
    load: (
      input: Input,
      after: string | null,
      options: CallOptions,
    ) => Promise<ClientResult<Page<Item> & { readonly total?: number }>>,
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
  /** Changes results before the server has answered, by {@link Query.change}; returns the functions that undo it. */
  readonly change?: () => readonly (() => void)[];
}

/** A declared query. */
export interface Query<Input, T> {
  /** Returns the result for an input, the same object for equal inputs. */
  readonly at: (input: Input) => Subscribable<QueryState<T>>;
  /** Changes results that are there; returns a function that undoes it. An update may return the data as it is. */
  readonly change: (update: (data: T, input: Input) => T) => () => void;
}

/** The pages of a list that were read so far. */
export interface Pages<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
  /** The number of records on all pages, if the query counts them. */
  readonly total: number | undefined;
  /** How many pages that is. */
  readonly count: number;
}

/** How many results are kept that no component shows. */
const mostUnwatched = 100;

/** The part of a client that is used. */
type CachingClient = Pick<Client, 'session'> & { readonly access: Pick<Client['access'], 'refresh'> };

/**
 * Creates a cache for one client and the topics of one app. It forgets everything when another user signs in, or the
 * tenant changes. A tab reads its results again when it becomes visible. The cache retries after a failure that may
 * pass.
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
  // Without a channel, other tabs read again when they are looked at.
  const channel = attempt(() => new BroadcastChannel(`x-cache:${name}`));

  const expire = (topics: readonly string[]): void => {
    for (const entry of entries) if (entry.topics.some((topic) => topics.includes(topic))) entry.store.expire();
  };
  const expireAll = (): void => entries.forEach(({ store }) => store.expire());
  const onVisible = (): void => {
    if (!document.hidden) expireAll();
  };
  channel?.addEventListener('message', ({ data }: MessageEvent<readonly string[]>) => {
    expire(data);
    // The client reloads it after its own writes, and knows nothing of those of other tabs.
    if (session.getSnapshot().user) void access.refresh();
  });
  document.addEventListener('visibilitychange', onVisible);
  addEventListener('online', expireAll);

  const getOwner = (): string => {
    const { user } = session.getSnapshot();
    return `${user?.id} ${user?.tenantId}`;
  };
  let owner = getOwner();
  const unsubscribe = session.subscribe(() => {
    if (owner === (owner = getOwner())) return;
    entries.forEach(({ store }) => store.reset());
    // The screen no longer shows data of another user by then, and only results that are still shown are read again.
    setTimeout(() => entries.forEach(({ store }) => store.wake()));
  });

  const invalidate = (topics: readonly Topic[]): void => {
    expire(topics);
    channel?.postMessage(topics);
  };
  const declare = <Input, T>(topics: readonly Topic[], toSource: (input: Input) => QuerySource<T>): Query<Input, T> =>
    createQuery(entries, topics, toSource);
  return {
    query: (topics, load) => declare(topics, (input) => ({ load: (_, options) => load(input, options) })),
    pages: (topics, load) => declare(topics, (input) => toPageSource((...given) => load(input, ...given))),
    async write(call, { touches, change }) {
      const undo = change?.() ?? [];
      const result = await call();
      if (result.ok) invalidate(touches);
      else undo.forEach((takeBack) => takeBack());
      return result;
    },
    invalidate,
    close() {
      unsubscribe();
      channel?.close();
      document.removeEventListener('visibilitychange', onVisible);
      removeEventListener('online', expireAll);
    },
  };
}

/** One result, of any query. */
interface Entry {
  readonly topics: readonly string[];
  readonly store: Pick<QueryStore<never>, 'isWatched' | 'expire' | 'wake' | 'reset'>;
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
      const undo = [...stores.values()].map(({ input, store }) => store.change((data) => update(data, input)));
      return () => undo.forEach((takeBack) => takeBack());
    },
  };
}

/** Makes room for one more result that may end up unwatched. */
function dropOldest(entries: Set<Entry>): void {
  const unwatched = [...entries].filter(({ store }) => !store.isWatched());
  for (const entry of unwatched.slice(0, Math.max(0, unwatched.length - mostUnwatched))) {
    entry.drop();
    entries.delete(entry);
  }
}

type LoadPage<Item> = (
  after: string | null,
  options: CallOptions,
) => Promise<ClientResult<Page<Item> & { readonly total?: number }>>;

function toPageSource<Item>(load: LoadPage<Item>): QuerySource<Pages<Item>> {
  /** Adds pages until there are as many as wanted. */
  const read = async (from: Pages<Item>, wanted: number, options: CallOptions): Promise<ClientResult<Pages<Item>>> => {
    let { items, nextCursor, total, count } = from;
    do {
      const page = await load(nextCursor, options);
      if (!page.ok) return page;
      items = [...items, ...page.data.items];
      ({ nextCursor, total = total } = page.data);
      count++;
    } while (nextCursor !== null && count < wanted);
    const data = { items, nextCursor, total, count };
    return { ok: true, value: data, data };
  };
  return {
    load: (before, options) => read(nothing, before?.count ?? 1, options),
    extend: (data, options) => (data.nextCursor === null ? null : read(data, data.count + 1, options)),
  };
}

const nothing = { items: [], nextCursor: null, total: undefined, count: 0 } as const;
