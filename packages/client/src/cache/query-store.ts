import type { CallOptions, ClientError, ClientResult, Subscribable } from '../index.ts';

/** The result of a query, as far as it is known. */
export interface QueryState<T> {
  /** The last result; undefined before the first, and once the server refuses the query. */
  readonly data: T | undefined;
  /** Why the last request failed; null if it did not. `data` may be there nevertheless, out of date. */
  readonly error: ClientError | null;
  /** Whether a request is under way. */
  readonly isLoading: boolean;
  /** Requests it now. Resolves once the result or the error is there. */
  readonly reload: () => Promise<void>;
  /** Adds the next page of a list, if there is one; with it come the other pages again if they are out of date. */
  readonly loadMore: () => void;
}

/** How the data of one query is requested. */
export interface QuerySource<T> {
  /** `more`: how many pages are to come beside those that there were before. */
  readonly load: (before: T | undefined, options: CallOptions, more: number) => Promise<ClientResult<T>>;
  /** Adds the next page. */
  readonly extend?: (data: T, options: CallOptions) => Promise<ClientResult<T>>;
}

/** The result of one query, shared by its subscribers. */
export interface QueryStore<T> extends Subscribable<QueryState<T>> {
  readonly isWatched: () => boolean;
  /** Says that the data is out of date: it is requested again, soon if there is a subscriber. */
  readonly expire: () => void;
  /** Forgets everything, as for another user. */
  readonly reset: () => void;
  /** Changes the data, whatever is received meanwhile, until the change is settled. */
  readonly change: (update: (data: T) => T) => Settle;
  /**
   * Changes the data for good, by what a write has returned. Returns whether it did: not if the update returns nothing,
   * and not if the data has to be requested anyway, or is as new as the write, which it may know of already.
   *
   * @param begunAt - when the write was sent, by `performance.now()`
   */
  readonly merge: (update: (data: T) => T | undefined, begunAt: number) => boolean;
}

/**
 * Ends a change of data. One that is kept stays until a request that was sent later is answered, because that knows of
 * it; any other is taken back.
 */
export type Settle = (isKept: boolean, error?: ClientError | null) => void;

/** How long to wait before a failed request is sent again: twice as long after each failure. */
const firstRetryMs = 1000;

const longestRetryMs = 30_000;

/** How long data may be out of date before it is requested: one request answers a write, and the notice of it. */
export const collectMs = 50;

/** Creates a query that is loaded while it has subscribers. */
export function createQueryStore<T>({ load, extend }: QuerySource<T>): QueryStore<T> {
  const listeners = new Set<(state: QueryState<T>) => void>();
  let received: T | undefined;
  let receivedAt = 0;
  let changes: readonly { readonly update: (data: T) => T; isKept: boolean }[] = [];
  let isFresh = false;
  let more = 0;
  let work: AbortController | undefined;
  let latest: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Infinity;
  let failures = 0;

  const show = (next: Partial<QueryState<T>>): void => {
    const data =
      received === undefined ? received : changes.reduce<T>((before, { update }) => update(before), received);
    state = { ...state, data, ...next };
    listeners.forEach((listener) => listener(state));
  };
  const stop = (): void => {
    work?.abort();
    clearTimeout(timer);
    dueAt = Infinity;
    latest = undefined;
  };
  /** Requests the data in a while, unless that is due earlier, or there is no subscriber. */
  const plan = (waitMs: number): void => {
    if (listeners.size === 0 || Date.now() + waitMs >= dueAt) return;
    dueAt = Date.now() + waitMs;
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), waitMs);
  };
  /** `known`: the changes that the response takes into account. */
  const run = async (
    send: (options: CallOptions) => Promise<ClientResult<T>>,
    known: typeof changes = [],
  ): Promise<void> => {
    stop();
    const { signal } = (work = new AbortController());
    isFresh = true;
    show({ isLoading: true });
    const result = await send({ signal });
    // Whoever waits for it waits for the request that has replaced it.
    if (signal.aborted) return latest;
    more = 0;
    if (result.ok) {
      failures = 0;
      received = result.data;
      receivedAt = performance.now();
      changes = changes.filter((change) => !known.includes(change));
      return show({ error: null, isLoading: false });
    }
    const { error } = result;
    isFresh = false;
    if (!isPassing(error)) received = undefined;
    else plan(Math.max(Math.min(firstRetryMs * 2 ** failures++, longestRetryMs), (error.retryAfter ?? 0) * 1000));
    show({ error, isLoading: false });
  };
  const reload = (): Promise<void> =>
    (latest = run(
      (options) => load(received, options, more),
      changes.filter(({ isKept }) => isKept),
    ));
  let state: QueryState<T> = {
    data: undefined,
    error: null,
    isLoading: false,
    reload,
    loadMore() {
      const before = received;
      if (before === undefined || !extend || more) return;
      more = 1;
      if (isFresh && !state.isLoading) latest = run((options) => extend(before, options));
      else void reload();
    },
  };
  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      listener(state);
      if (listeners.size === 1 && !isFresh) void reload();
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0) return;
        stop();
        isFresh &&= !state.isLoading;
        state = { ...state, isLoading: false };
      };
    },
    isWatched: () => listeners.size > 0,
    expire() {
      isFresh = false;
      plan(collectMs);
    },
    reset() {
      stop();
      received = undefined;
      changes = [];
      failures = 0;
      isFresh = false;
      show({ error: null, isLoading: false });
    },
    merge(update, begunAt) {
      const isBefore = isFresh && !state.isLoading && receivedAt < begunAt;
      const merged = isBefore && received !== undefined ? update(received) : undefined;
      if (merged === undefined) return false;
      received = merged;
      // Fresh data lacks no other write: what is kept was shown for this one.
      changes = changes.filter(({ isKept }) => !isKept);
      show({});
      return true;
    },
    change(update) {
      const change = { update, isKept: false };
      changes = [...changes, change];
      show({});
      return (isKept, error = state.error) => {
        if (!changes.includes(change)) return;
        change.isKept = isKept;
        if (!isKept) changes = changes.filter((other) => other !== change);
        show({ error });
      };
    },
  };
}

/** Whether the same request may succeed a little later. */
function isPassing({ code, status = 500 }: ClientError): boolean {
  return status >= 500 || code === 'INVALID_RESPONSE' || code === 'RATE_LIMITED';
}
