import type { ActiveSession } from './session-state.ts';
import { elapsedMs, freeLockMs, longestRefreshMs, now } from './time.ts';

/** A message from one tab to the others: a session that was started, refreshed or found, undefined if there is none any more. */
export type TabMessage = ActiveSession | undefined;

/** The part of `BroadcastChannel` that is used. */
export interface TabChannel {
  postMessage(message: TabMessage): void;
  addEventListener(type: 'message', listener: (event: { readonly data: TabMessage }) => void): void;
  close(): void;
}

/** The part of `LockManager` that is used. */
export interface TabLocks {
  request<T>(name: string, options: { readonly signal: AbortSignal }, work: () => Promise<T>): Promise<T>;
}

/** Work that changes the session. `waited` says that another tab may just have changed it. */
type Work<T> = (waited: boolean) => Promise<T>;

/** Runs work alone. */
export type Exclusively = <T>(work: Work<T>) => Promise<T>;

/**
 * Lets one tab at a time work, with a Web Lock, and runs work one after another within a tab.
 *
 * Where the browser has no locks or refuses them, several tabs may work at the same time, and so they may after as long as a
 * refresh takes at most: a suspended tab keeps its lock for ever. The server's grace period for the previous token makes that
 * harmless.
 */
export function createExclusively(locks: TabLocks | undefined, name: string): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(work: Work<T>) => {
    const turn = async (): Promise<T> => {
      const since = now();
      const start = (): Promise<T> => work(elapsedMs(since) > freeLockMs);
      let result: Promise<T> | undefined;
      try {
        await locks?.request(name, { signal: AbortSignal.timeout(longestRefreshMs) }, () => (result = start()));
      } catch {}
      return result ?? start();
    };
    return (last = last.then(turn, turn)) as Promise<T>;
  };
}
