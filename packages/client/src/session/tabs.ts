import type { KnownSession } from './known-session.ts';

/** What a tab tells the others. */
export type TabMessage =
  /** A session was made, refreshed or found. */
  | { readonly kind: 'signedIn'; readonly session: KnownSession }
  | { readonly kind: 'signedOut' }
  /** Said where there are no locks: this tab changes the session now, or is done without anything to tell. */
  | { readonly kind: 'busy' }
  | { readonly kind: 'done' };

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
  return async (work) => {
    const atOnce = await locks.request(name, { ifAvailable: true }, async (lock) =>
      lock ? { result: await work(false) } : undefined,
    );
    return atOnce ? atOnce.result : locks.request(name, {}, () => work(true));
  };
}

/**
 * Lets one tab at a time work where the browser has no locks, by what tabs tell each other. Two that start within the time
 * that a message takes both work, which the server's grace for the token before the current one makes harmless.
 */
export class Turns {
  readonly #tell: (message: TabMessage) => void;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #othersWork: Promise<void> | undefined;
  #othersDone: (() => void) | undefined;

  constructor(tell: (message: TabMessage) => void) {
    this.#tell = tell;
  }

  readonly take: Exclusively = (work) => {
    this.#waiting += 1;
    const turn = this.#last.then(async () => {
      const waited = this.#waiting > 1 || this.#othersWork !== undefined;
      await this.#othersWork;
      this.#tell({ kind: 'busy' });
      try {
        return await work(waited);
      } finally {
        this.#waiting -= 1;
        this.#tell({ kind: 'done' });
      }
    });
    this.#last = turn.catch(() => {});
    return turn;
  };

  /** Takes in what another tab says. One that is closed in its turn says nothing more, so its turn ends by itself. */
  hear({ kind }: TabMessage): void {
    if (kind === 'busy') {
      this.#othersWork = new Promise((resolve) => {
        this.#othersDone = resolve;
        setTimeout(resolve, longestTurnMs);
      });
    } else if (kind === 'done') {
      this.#othersDone?.();
      this.#othersWork = undefined;
    }
  }
}

const longestTurnMs = 5000;
