import type { CallOptions, ClientError, ClientResult, Subscribable } from '../index.ts';

/** The result of a query, as far as it is known. */
export interface QueryState<T> {
  /** The last result; undefined before the first, and once the server refuses the query. */
  readonly data: T | undefined;
  /** Why the last request failed; null if it did not. `data` may be there nevertheless, out of date. */
  readonly error: ClientError | null;
  /** Whether a request is under way. */
  readonly isLoading: boolean;
  /** Requests it now. */
  readonly reload: () => void;
  /** Adds the next page of a list; does nothing if there is none. */
  readonly loadMore: () => void;
}

/** How the data of one query is requested. */
export interface QuerySource<T> {
  readonly load: (before: T | undefined, options: CallOptions) => Promise<ClientResult<T>>;
  /** Adds the next page; null if there is none. */
  readonly extend?: (data: T, options: CallOptions) => Promise<ClientResult<T>> | null;
}

/** The result of one query, kept after the last subscriber has gone. */
export interface QueryStore<T> extends Subscribable<QueryState<T>> {
  readonly isWatched: () => boolean;
  /** Says that the data is out of date: it is requested again, at once if there is a subscriber. */
  readonly expire: () => void;
  /** Requests the data if it is out of date and there is a subscriber. */
  readonly wake: () => void;
  /** Forgets everything, as for another user. */
  readonly reset: () => void;
  /** Changes the data before the server has; returns a function that undoes it. */
  readonly change: (update: (data: T) => T) => () => void;
}

/** The waits before a failed request is sent again, in milliseconds; the last of them from then on. */
const retryMs = [1000, 2000, 5000, 10_000, 30_000] as const;

/** Creates a query that is loaded while it has subscribers. */
export function createQueryStore<T>(source: QuerySource<T>): QueryStore<T> {
  const listeners = new Set<() => void>();
  let work: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let isFresh = false;

  const show = (change: Partial<QueryState<T>>): void => {
    state = { ...state, ...change };
    listeners.forEach((listener) => listener());
  };
  const stop = (): void => {
    work?.abort();
    clearTimeout(timer);
  };
  const run = async (send: (options: CallOptions) => Promise<ClientResult<T>>): Promise<void> => {
    stop();
    const { signal } = (work = new AbortController());
    isFresh = true;
    if (!state.isLoading) show({ isLoading: true });
    const result = await send({ signal });
    if (signal.aborted) return;
    if (result.ok) {
      failures = 0;
      return show({ data: result.data, error: null, isLoading: false });
    }
    isFresh = false;
    show({ error: result.error, isLoading: false, ...(!isPassing(result.error) && { data: undefined }) });
    if (listeners.size > 0 && isPassing(result.error)) retry(result.error);
  };
  const retry = ({ retryAfter = 0 }: ClientError): void => {
    const wait = retryMs[Math.min(failures, retryMs.length - 1)] ?? 0;
    failures++;
    timer = setTimeout(reload, Math.max(wait, retryAfter * 1000));
  };
  const reload = (): void => void run((options) => source.load(state.data, options));
  const wake = (): void => {
    if (listeners.size > 0 && !isFresh) reload();
  };
  let state: QueryState<T> = {
    data: undefined,
    error: null,
    isLoading: false,
    reload,
    loadMore() {
      const { data, isLoading } = state;
      if (data === undefined || isLoading) return;
      void run((options) => source.extend?.(data, options) ?? Promise.resolve({ ok: true, value: data, data }));
    },
  };
  return {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener);
      if (listeners.size === 1 && !isFresh) reload();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        if (state.isLoading || state.error) isFresh = false;
        stop();
        state = { ...state, isLoading: false };
      };
    },
    isWatched: () => listeners.size > 0,
    expire() {
      isFresh = false;
      wake();
    },
    wake,
    reset() {
      stop();
      isFresh = false;
      failures = 0;
      show({ data: undefined, error: null, isLoading: false });
    },
    change(update) {
      const { data: before } = state;
      if (before === undefined) return () => {};
      // A response that is under way does not know of the change.
      if (state.isLoading) isFresh = false;
      stop();
      const after = update(before);
      show({ data: after, isLoading: false });
      return () => {
        if (state.data === after) show({ data: before });
      };
    },
  };
}

/** Whether the same request may succeed a little later. */
function isPassing({ code, status = 0 }: ClientError): boolean {
  return code === 'NETWORK_FAILED' || code === 'INVALID_RESPONSE' || code === 'RATE_LIMITED' || status >= 500;
}
