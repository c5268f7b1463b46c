import type { TabChannel, TabLocks } from './tabs.ts';

/** What the environment of a client offers; only pages and workers of a browser offer anything. */
export interface Environment {
  /** Truthy if requests carry the cookies and the origin that all tabs of the site share. */
  readonly inBrowser: unknown;
  readonly locks?: TabLocks | undefined;
  readonly channel?: TabChannel | undefined;
  /** Whether the page is hidden, or there is no network. */
  readonly isPaused: () => unknown;
  /** Calls the listener whenever a pause may have ended; returns the function that unsubscribes. */
  readonly onResume: (listener: () => void) => () => void;
  /**
   * Whether this browser had a session when last seen, `1` or `0`. Undefined if it can't remember: some browsers drop
   * what scripts store earlier than the cookies of a server. A needless refresh would use up one of the few that an address has, and log a
   * 401 in the console.
   */
  readonly hadSession: () => '1' | '0' | undefined;
  readonly noteSession: (session: unknown) => void;
}

/**
 * Finds out what the environment offers. Node, Deno and Bun have locks and channels as well, but share no cookies
 * through them.
 *
 * @param name - distinguishes the locks and messages of one server from those of others
 * @param alone - whether the client does not use a browser's cookies, wherever it runs
 */
export function detectEnvironment(name: string, alone: unknown): Environment {
  const inBrowser = !alone && globalThis.location;
  return {
    inBrowser,
    locks: attempt(() => navigator.locks),
    channel: attempt(() => new BroadcastChannel(name)),
    isPaused: () => inBrowser && (globalThis.document?.hidden || !navigator.onLine),
    onResume(listener) {
      const stop = new AbortController();
      if (inBrowser) {
        addEventListener('online', listener, stop);
        globalThis.document?.addEventListener('visibilitychange', listener, stop);
      }
      return () => stop.abort();
    },
    hadSession: () => attempt(() => localStorage[name] as '1' | '0' | undefined),
    noteSession: (session) => attempt(() => (localStorage[name] = session ? 1 : 0)),
  };

  /** Returns undefined outside browsers, and if the browser lacks something or is configured to refuse it. */
  function attempt<T>(work: () => T): T | undefined {
    try {
      return inBrowser ? work() : undefined;
    } catch {}
    return undefined;
  }
}
