import { tooBusy } from '@x/errors';

/** The limits of a {@link FairQueue}. */
export interface FairQueueLimits {
  /** How many jobs run at the same time, 1 or more. Default: any number. */
  readonly concurrency?: number;
  /** How many jobs of one key run at the same time, 1 or more. Default: `concurrency`. */
  readonly concurrencyPerKey?: number | ((key: string) => number);
  /** How many jobs wait, of all keys together. Default: any number. */
  readonly maxWaiting?: number;
  /** How long a job waits before it is refused, in milliseconds. Default: forever. */
  readonly maxWaitMs?: number;
}

/**
 * A fair queue with a concurrency limit. The keys of a job name its client, such as a user and an address. A job with
 * several keys counts for the limit of each of them.
 *
 * The waiting jobs with the same keys are one flow, and the queue serves the flows in rotation. So the first job of a
 * flow waits for at most one job of every other flow, however many jobs those have. When the queue is full, the longest
 * flow loses its last job to a new job, as long as the flow of the new job stays the shorter one. So one flow can fill
 * the queue only while no other flow needs it, and the refused job had the longest wait ahead.
 */
export class FairQueue {
  readonly #limits: Required<FairQueueLimits>;
  /** How many jobs of each key run or wait, and how many of them run. */
  readonly #jobs: Counts = new Map();
  readonly #running: Counts = new Map();
  /**
   * The waiting jobs of each flow, in the order of service. No flow is empty. They are arrays, because V8 keeps what a
   * set has lost until its next major collection.
   */
  readonly #flows = new Map<string, Waiting[]>();
  #free: number;
  #waiting = 0;

  constructor({
    concurrency = Infinity,
    concurrencyPerKey = concurrency,
    maxWaiting = Infinity,
    maxWaitMs = Infinity,
  }: FairQueueLimits) {
    this.#limits = { concurrency, concurrencyPerKey, maxWaiting, maxWaitMs };
    this.#free = concurrency;
  }

  /** How many jobs wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many jobs of a key run or wait. */
  countOf(key: string): number {
    return this.#jobs.get(key) ?? 0;
  }

  /**
   * Runs a job once it is within the limits.
   *
   * @param options - a job whose `signal` is aborted while it waits is refused; `maxWaitMs` may be less than for others
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait or it has waited for too
   * long; it does not run then
   */
  async run<T>(key: string | Keys, job: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
    const keys = typeof key === 'string' ? [key] : key;
    add(this.#jobs, keys, 1);
    try {
      return await this.#runWithinLimits(keys, job, options);
    } finally {
      add(this.#jobs, keys, -1);
    }
  }

  async #runWithinLimits<T>(keys: Keys, job: () => T | Promise<T>, options: WaitOptions): Promise<T> {
    if (this.#canStart(keys)) this.#start(keys);
    else await this.#wait(keys, options);
    try {
      return await job();
    } finally {
      this.#end(keys);
    }
  }

  #canStart(keys: Keys): boolean {
    const { concurrencyPerKey: limit } = this.#limits;
    const limitOf = (key: string): number => (typeof limit === 'number' ? limit : limit(key));
    return this.#free > 0 && keys.every((key) => (this.#running.get(key) ?? 0) < limitOf(key));
  }

  #start(keys: Keys): void {
    this.#free -= 1;
    add(this.#running, keys, 1);
  }

  async #wait(keys: Keys, { signal, maxWaitMs = this.#limits.maxWaitMs }: WaitOptions): Promise<void> {
    const name = keys.join(' ');
    if (signal?.aborted) throw tooBusy();
    if (this.#waiting >= this.#limits.maxWaiting) this.#makeRoom(name);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { keys, start: resolve, refuse: () => reject(tooBusy()) };
    const flow = this.#flows.get(name) ?? [];
    flow.push(waiting);
    this.#flows.set(name, flow);
    this.#waiting += 1;
    const giveUp = (): void => this.#refuse(name, waiting);
    const timer = maxWaitMs === Infinity ? undefined : setTimeout(giveUp, maxWaitMs);
    signal?.addEventListener('abort', giveUp);
    await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  }

  /**
   * Refuses the last job of the longest flow in favour of a new one; or the new one, if its flow would be no shorter.
   */
  #makeRoom(newcomer: string): void {
    let [longest, length] = ['', (this.#flows.get(newcomer)?.length ?? 0) + 1];
    for (const [name, flow] of this.#flows) if (flow.length > length) [longest, length] = [name, flow.length];
    const last = this.#flows.get(longest)?.at(-1);
    if (!last) throw tooBusy();
    this.#refuse(longest, last);
  }

  #refuse(name: string, waiting: Waiting): void {
    this.#remove(name, waiting);
    waiting.refuse();
  }

  #remove(name: string, waiting: Waiting): void {
    const flow = this.#flows.get(name);
    const index = flow?.indexOf(waiting) ?? -1;
    if (!flow || index === -1) return;
    flow.splice(index, 1);
    this.#waiting -= 1;
    if (flow.length === 0) this.#flows.delete(name);
  }

  /**
   * Starts waiting jobs in place of an ended one without yielding, so that no new job comes first. A flow that was
   * served moves to the end.
   */
  #end(ended: Keys): void {
    this.#free += 1;
    add(this.#running, ended, -1);
    // A job with several keys may have kept a job of each key waiting.
    for (const [name, flow] of this.#flows) {
      if (this.#free === 0) return;
      const [first] = flow;
      if (!first || !this.#canStart(first.keys)) continue;
      this.#remove(name, first);
      if (this.#flows.delete(name)) this.#flows.set(name, flow);
      this.#start(first.keys);
      first.start();
    }
  }
}

type Keys = readonly string[];

interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly maxWaitMs?: number;
}

/** Numbers above 0, by keys. */
type Counts = Map<string, number>;

function add(counts: Counts, keys: Keys, change: 1 | -1): void {
  for (const key of keys) {
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  }
}

interface Waiting {
  readonly keys: Keys;
  readonly start: () => void;
  readonly refuse: () => void;
}
