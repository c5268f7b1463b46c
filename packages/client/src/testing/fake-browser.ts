import type { Environment } from '../session/environment.ts';
import type { TabChannel, TabLocks, TabMessage } from '../session/tabs.ts';

/** The state that the tabs of one browser share. */
export class FakeBrowser {
  readonly locks: FakeLocks | undefined;
  readonly #channels: Set<FakeChannel> = new Set();
  paused = false;
  readonly #resumed: Set<() => void> = new Set();
  readonly #messageDelay: number;

  constructor({ withLocks = true, messageDelay = 1 }: { withLocks?: boolean; messageDelay?: number } = {}) {
    this.locks = withLocks ? new FakeLocks() : undefined;
    this.#messageDelay = messageDelay;
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    for (const listener of this.#resumed) listener();
  }

  openTab(): Environment {
    const channel = new FakeChannel(this.#channels, this.#messageDelay);
    return {
      inBrowser: true,
      locks: this.locks,
      channel,
      isPaused: () => this.paused,
      onResume: (listener) => {
        this.#resumed.add(listener);
        return () => void this.#resumed.delete(listener);
      },
    };
  }
}

class FakeLocks implements TabLocks {
  /** Whether the browser refuses locks. */
  isRefused = false;
  #held = false;
  readonly #queue: Set<() => void> = new Set();

  /** Has a suspended tab hold the lock for ever. */
  suspendHolder(): void {
    this.#held = true;
  }

  async request(_: string, ...[options, work]: LockRequest): Promise<unknown> {
    if (this.isRefused) throw new DOMException('Refused.', 'SecurityError');
    if (this.#held && options.ifAvailable) return work(null);
    if (this.#held) await this.#wait(options.signal);
    this.#held = true;
    try {
      return await work({});
    } finally {
      // Passed on without yielding, so that no other tab can take it in between.
      const [next] = this.#queue;
      if (next) next();
      else this.#held = false;
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        this.#queue.delete(take);
        resolve();
      };
      this.#queue.add(take);
      signal?.addEventListener('abort', () => {
        if (this.#queue.delete(take)) reject(signal.reason as Error);
      });
    });
  }
}

type LockRequest = Parameters<TabLocks['request']> extends [string, ...infer Rest] ? Rest : never;

class FakeChannel implements TabChannel {
  readonly #all: Set<FakeChannel>;
  readonly #delay: number;
  readonly #listeners: ((event: { readonly data: TabMessage }) => void)[] = [];

  constructor(all: Set<FakeChannel>, delay: number) {
    this.#all = all;
    this.#delay = delay;
    all.add(this);
  }

  addEventListener(_: 'message', listener: (event: { readonly data: TabMessage }) => void): void {
    this.#listeners.push(listener);
  }

  postMessage(message: TabMessage): void {
    if (!this.#all.has(this)) throw new DOMException('closed', 'InvalidStateError');
    const data = structuredClone(message);
    for (const other of this.#all) {
      if (other !== this) setTimeout(() => other.#receive({ data }), this.#delay);
    }
  }

  close(): void {
    this.#all.delete(this);
  }

  #receive(event: { readonly data: TabMessage }): void {
    if (this.#all.has(this)) for (const listener of this.#listeners) listener(event);
  }
}
