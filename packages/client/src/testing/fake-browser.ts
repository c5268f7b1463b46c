import type { Environment } from '../session/environment.ts';
import type { TabChannel, TabLocks, TabMessage } from '../session/tabs.ts';

/** What the tabs of one browser share. */
export class FakeBrowser {
  readonly locks: TabLocks | undefined;
  readonly #channels: Set<FakeChannel> = new Set();
  #hadSession: boolean;
  paused = false;
  readonly #resumed: Set<() => void> = new Set();
  readonly #messageDelay: number;

  constructor(options: { withLocks?: boolean; messageDelay?: number; hadSession?: boolean } = {}) {
    const { withLocks = true, messageDelay = 1, hadSession = true } = options;
    this.#hadSession = hadSession;
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
      hadSession: () => this.#hadSession,
      noteSession: (session) => void (this.#hadSession = !!session),
    };
  }
}

class FakeLocks implements TabLocks {
  #held = false;
  readonly #queue: (() => void)[] = [];

  async request<T>(_: string, { ifAvailable = false }, work: (lock: unknown) => Promise<T>): Promise<T> {
    if (this.#held) {
      if (ifAvailable) return work(null);
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    }
    this.#held = true;
    try {
      return await work({});
    } finally {
      // Passed on in the same turn, so that nobody else can take it in between.
      const next = this.#queue.shift();
      if (next) next();
      else this.#held = false;
    }
  }
}

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
