import type { TabChannel, TabLocks } from './tabs.ts';

/** What the place that a client runs in has; only the pages and workers of a browser have any of it. */
export interface Surroundings {
  /** Whether requests carry the cookies, and state the origin, that all tabs of the site share. */
  readonly inBrowser: boolean;
  readonly locks?: TabLocks | undefined;
  readonly channel?: TabChannel | undefined;
  /** Whether nobody looks, or there is no network. */
  readonly isPaused: () => boolean;
  /** Calls the listener whenever a pause may be over; returns what ends that. */
  readonly onResume: (listener: () => void) => () => void;
  /**
   * Whether this browser had a session when it was last heard of; true where it can't remember. To try a refresh in vain costs
   * one of the few that an address has, and a 401 in the console.
   */
  readonly hadSession: () => boolean;
  readonly rememberSession: (has: boolean) => void;
}

/**
 * Finds out what there is. Node, Deno and Bun have locks and channels as well, but what shares them there shares no cookies.
 *
 * @param name - what tells the locks and messages of one server from those of others
 * @param alone - whether the client has nothing to do with the cookies of a browser, wherever it runs
 */
export function findSurroundings(name: string, alone = false): Surroundings {
  const inBrowser = !alone && !!globalThis.location;
  const page = inBrowser ? globalThis.document : undefined;
  return {
    inBrowser,
    ...(inBrowser && { locks: navigator.locks, channel: new BroadcastChannel(name) }),
    isPaused: () => !!page?.hidden || (inBrowser && !navigator.onLine),
    onResume(listener) {
      const stop = new AbortController();
      if (inBrowser) addEventListener('online', listener, stop);
      page?.addEventListener('visibilitychange', listener, stop);
      return () => stop.abort();
    },
    hadSession: () => inPage(() => name in localStorage) ?? true,
    rememberSession: (has) => inPage(() => (has ? (localStorage[name] = '') : delete localStorage[name])),
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
