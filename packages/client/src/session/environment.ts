import type { TabChannel, TabLocks } from './tabs.ts';

/** What the environment of a client offers; only pages and workers of a browser offer anything. */
export interface Environment {
  /** Whether requests carry the cookies and the origin that all tabs of the site share. */
  readonly inBrowser: boolean;
  readonly locks?: TabLocks | undefined;
  readonly channel?: TabChannel | undefined;
  /** Whether the page is hidden, or there is no network. */
  readonly isPaused: () => boolean;
  /** Calls the listener whenever a pause may have ended; returns the function that unsubscribes. */
  readonly onResume: (listener: () => void) => () => void;
  /**
   * Whether this browser had a session when last seen; true if it can't remember. A needless refresh would use up one
   * of the few that an address has, and log a 401 in the console.
   */
  readonly hadSession: () => boolean;
  readonly noteSession: (session: unknown) => void;
}

/**
 * Finds out what the environment offers. Node, Deno and Bun have locks and channels as well, but share no cookies
 * through them.
 *
 * @param name - distinguishes the locks and messages of one server from those of others
 * @param alone - whether the client does not use a browser's cookies, wherever it runs
 */
export function detectEnvironment(name: string, alone: boolean): Environment {
  const inBrowser = !alone && !!globalThis.location;
  const page = inBrowser ? globalThis.document : undefined;
  return {
    inBrowser,
    ...(inBrowser && { locks: navigator.locks, channel: new BroadcastChannel(name) }),
    isPaused: () => page?.hidden || (inBrowser && !navigator.onLine),
    onResume(listener) {
      const stop = new AbortController();
      if (inBrowser) addEventListener('online', listener, stop);
      page?.addEventListener('visibilitychange', listener, stop);
      return () => stop.abort();
    },
    hadSession: () => inPage(() => name in localStorage) ?? true,
    noteSession: (session) => inPage(() => (session ? (localStorage[name] = '') : delete localStorage[name])),
  };

  /** Workers have no such storage, and a browser may be configured to refuse it. */
  function inPage<T>(work: () => T): T | undefined {
    try {
      return page && work();
    } catch {}
    return undefined;
  }
}
