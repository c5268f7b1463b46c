import type { ActiveSession } from './session-state.ts';
import { longestRefreshMs } from './time.ts';

/**
 * A message from one tab to the others: a session that was started, refreshed or found, undefined if there is none any
 * more, or null if the tab announces that it starts working.
 */
export type TabMessage = ActiveSession | undefined | null;

/** The part of `BroadcastChannel` that is used. */
export interface TabChannel {
  postMessage(message: TabMessage): void;
  addEventListener(type: 'message', listener: (event: { readonly data: TabMessage }) => void): void;
  close(): void;
}

/** The part of `LockManager` that is used. */
export interface TabLocks {
  request(
    name: string,
    options: { readonly ifAvailable?: boolean; readonly signal?: AbortSignal },
    work: (lock: unknown) => unknown,
  ): Promise<unknown>;
}

/** Runs work that changes the session. `waited` says that another tab may just have changed it. */
export type Exclusively = <T>(work: (waited: boolean) => Promise<T>) => Promise<T>;

/**
 * Lets one tab at a time work, with a Web Lock.
 *
 * A suspended tab keeps its lock for ever, so the others wait for it as long as a refresh may take, and then work
 * without it, as they do where the browser has no locks or refuses them. Within a tab, such work runs one after
 * another, and it is announced, so that other tabs postpone their refresh. Two tabs that start within the time that a
 * message takes both work; the server's grace period for the previous token makes that harmless.
 */
export function createExclusively(locks: TabLocks | undefined, name: string, announce: () => void): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return async <T>(work: (waited: boolean) => Promise<T>) => {
    let running: Promise<T> | undefined;
    const attempt = (waited: boolean): unknown =>
      locks?.request(
        name,
        waited ? { signal: AbortSignal.timeout(longestRefreshMs) } : { ifAvailable: true },
        (lock) => (lock ? (running = work(waited)) : attempt(true)),
      );
    try {
      await attempt(false);
    } catch {
      // No lock is available, or the work that started under it has failed.
    }
    const finish = (): Promise<T> => {
      if (running) return running;
      announce();
      return work(false);
    };
    return (last = last.then(finish, finish)) as Promise<T>;
  };
}
