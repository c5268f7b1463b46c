import type { TabChannel, TabLocks } from './tabs.ts';

/** What the place that a client runs in has; only the pages and workers of a browser have any of it. */
export interface Surroundings {
  /** Whether requests carry the cookies, and state the origin, that all tabs of the site share. */
  readonly inBrowser: boolean;
  readonly locks?: TabLocks | undefined;
  readonly channel?: TabChannel | undefined;
  /** Whether nobody looks, or there is no network. */
  isPaused(): boolean;
  /** Calls the listener whenever a pause may be over; returns what ends that. */
  onResume(listener: () => void): () => void;
  /**
   * Whether this browser had a session when it was last heard of; true where it can't remember. To try a refresh in vain costs
   * one of the few that an address has, and a 401 in the console.
   */
  hadSession(): boolean;
  rememberSession(has: boolean): void;
}

/**
 * Finds out what there is. Node, Deno and Bun have locks and channels as well, but what shares them there shares no cookies.
 *
 * @param name - what tells the locks and messages of one server from those of others
 * @param alone - whether the client has nothing to do with the cookies of a browser, wherever it runs
 */
export function findSurroundings(name: string, alone = false): Surroundings {
  const inBrowser = !alone && typeof location === 'object';
  const page = inBrowser && typeof document === 'object' ? document : undefined;
  return {
    inBrowser,
    locks: inBrowser ? navigator.locks : undefined,
    channel: inBrowser && typeof BroadcastChannel === 'function' ? new BroadcastChannel(name) : undefined,
    isPaused: () => page?.hidden === true || (inBrowser && navigator.onLine === false),
    onResume(listener) {
      const stop = new AbortController();
      if (inBrowser) addEventListener('online', listener, stop);
      page?.addEventListener('visibilitychange', listener, stop);
      return () => stop.abort();
    },
    hadSession: () => inPage(() => localStorage.getItem(name) !== null) ?? true,
    rememberSession: (has) => inPage(() => (has ? localStorage.setItem(name, '') : localStorage.removeItem(name))),
  };

  /** Workers have no storage of this kind, and a browser may be told to refuse it. */
  function inPage<T>(work: () => T): T | undefined {
    try {
      return page && work();
    } catch {
      return undefined;
    }
  }
}
