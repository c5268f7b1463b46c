import { attempt } from '../attempt.ts';
import type { TabChannel, TabLocks } from './tabs.ts';

/** The features of a client's environment; only pages and workers of a browser have any. */
export interface Environment {
  /** Whether requests carry the cookies and the origin that all tabs of the site share. */
  readonly inBrowser?: true;
  readonly locks?: TabLocks | undefined;
  readonly channel?: TabChannel | undefined;
  /** Whether the page is hidden, or there is no network. */
  readonly isPaused?: () => boolean;
  /** Calls the listener whenever a pause may have ended; returns the function that unsubscribes. */
  readonly onResume?: (listener: () => void) => () => void;
}

/**
 * Detects the features of the environment. Node, Deno and Bun have locks and channels as well, but share no cookies
 * through them.
 *
 * @param name - distinguishes the locks and messages of one server from those of others
 * @param alone - truthy if the client does not use a browser's cookies, wherever it runs
 */
export function detectEnvironment(name: string, alone: unknown): Environment {
  if (alone || !globalThis.location) return {};
  return {
    inBrowser: true,
    locks: attempt(() => navigator.locks),
    channel: attempt(() => new BroadcastChannel(name)),
    isPaused: () => globalThis.document?.hidden || !navigator.onLine,
    onResume(listener) {
      const stop = new AbortController();
      addEventListener('online', listener, stop);
      // Workers have no document.
      globalThis.document?.addEventListener('visibilitychange', listener, stop);
      return () => stop.abort();
    },
  };
}
