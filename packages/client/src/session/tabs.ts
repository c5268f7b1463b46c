import type { KnownSession } from './known-session.ts';

/** What a tab tells the others. */
export interface TabMessage {
  /** A session that was made, refreshed or found; undefined where there is none any more. Left out by one that begins to work. */
  readonly session?: KnownSession | undefined;
}

/** The slice of `BroadcastChannel` that is used. */
export interface TabChannel {
  postMessage(message: TabMessage): void;
  addEventListener(type: 'message', listener: (event: { readonly data: TabMessage }) => void): void;
  close(): void;
}

/** The slice of `LockManager` that is used. */
export interface TabLocks {
  request<T>(
    name: string,
    options: { readonly ifAvailable?: boolean },
    work: (lock: unknown) => Promise<T>,
  ): Promise<T>;
}

/** Runs work that changes the session. `waited` says that somebody else may just have changed it. */
export type Exclusively = <T>(work: (waited: boolean) => Promise<T>) => Promise<T>;

/** Lets one tab at a time work, by a lock of the browser. */
export function byLock(locks: TabLocks, name: string): Exclusively {
  const take: Take = (work, waited = false) =>
    locks.request(name, { ifAvailable: !waited }, (lock) => (lock ? work(waited) : take(work, true)));
  return take;
}

type Take = <T>(work: (waited: boolean) => Promise<T>, waited?: boolean) => Promise<T>;

/**
 * Lets a tab do one thing after another where the browser has no locks, and tell the others when it begins, so that they put
 * off what they would do by themselves. Two that begin within the time that a message takes both work, which the server's
 * grace for the token before the current one makes harmless.
 */
export function inTurn(tell: (message: TabMessage) => void): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(() => {
      tell({});
      return work(false);
    });
    last = turn.catch(() => {});
    return turn;
  };
}
