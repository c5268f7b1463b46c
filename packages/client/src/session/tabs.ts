import type { ActiveSession } from './session-state.ts';

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
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: unknown) => Promise<T>,
  ): Promise<T>;
}

/** Runs work that changes the session. `waited` says that another tab may just have changed it. */
export type Exclusively = <T>(work: (waited: boolean) => Promise<T>) => Promise<T>;

/** Lets one tab at a time work, with a Web Lock. */
export function byLock(locks: TabLocks, name: string): Exclusively {
  const attempt: Attempt = (work, waited = false) =>
    locks.request(name, { ifAvailable: !waited }, (lock) => (lock ? work(waited) : attempt(work, true)));
  return attempt;
}

type Attempt = <T>(work: (waited: boolean) => Promise<T>, waited?: boolean) => Promise<T>;

/**
 * For browsers without locks: runs work one after another within a tab, and announces the start, so that other tabs
 * postpone their own. Two tabs that start within the time that a message takes both work; the server's grace period for
 * the previous token makes that harmless.
 */
export function inTurn(broadcast: (message: TabMessage) => void): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(() => {
      broadcast(null);
      return work(false);
    });
    last = turn.catch(() => {});
    return turn;
  };
}
