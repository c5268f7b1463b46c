import { tooBusy } from '@x/errors';

/** The limits of a queue: jobs that run, and jobs that wait. */
export interface FairQueueBounds {
  /** How many jobs run at the same time, 1 or more. Default: any number. */
  readonly places?: number;
  /** How many jobs of one key do, 1 or more. Default: as many as of all. */
  readonly placesEach?: number | ((key: string) => number);
  /** How many jobs wait, of all keys together. Default: any number. */
  readonly maxWaiting?: number;
  /** How long a job waits, in milliseconds. Default: until there is a place for it. */
  readonly maxWaitMs?: number;
}

/**
 * A fair queue with a concurrency limit. The keys of a job name its client, such as a user and an address. A job with
 * several keys needs a place of each of them.
 *
 * The jobs with the same keys stand in one line, and the queue serves the lines in rotation. So the first job of a line
 * waits for at most one job of every other line, however many jobs those have. When the queue is full, the longest line
 * loses its last job to a new job, as long as the line of the new job stays the shorter one. So one line can fill the
 * queue only while no other line needs it, and the refused job had the longest wait ahead.
 */
export class FairQueue {
  readonly #bounds: Required<FairQueueBounds>;
  /** How many jobs of each key there are, if any, and how many of them are running. */
  readonly #jobs: Counts = new Map();
  readonly #running: Counts = new Map();
  /** The waiting jobs of each line, in the order of service. No line is empty. */
  readonly #lines = new Map<string, Set<Waiting>>();
  #free: number;
  #waiting = 0;

  constructor({
    places = Infinity,
    placesEach = places,
    maxWaiting = Infinity,
    maxWaitMs = Infinity,
  }: FairQueueBounds) {
    this.#bounds = { places, placesEach, maxWaiting, maxWaitMs };
    this.#free = places;
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
   * Runs a job once there is a place of each of its keys.
   *
   * @param options - a job whose `signal` is aborted while it waits is refused; `maxWaitMs` may be less than for others
   * @throws CodedError `SERVICE_UNAVAILABLE` with `retryAfter`, if there is no room to wait or it has waited for too long;
   * it does not run then
   */
  async run<T>(key: string | Keys, job: () => T | Promise<T>, options: WaitOptions = {}): Promise<T> {
    const keys = typeof key === 'string' ? [key] : key;
    add(this.#jobs, keys, 1);
    try {
      return await this.#runWhenPlaced(keys, job, options);
    } finally {
      add(this.#jobs, keys, -1);
    }
  }

  async #runWhenPlaced<T>(keys: Keys, job: () => T | Promise<T>, options: WaitOptions): Promise<T> {
    if (this.#hasPlaces(keys)) this.#start(keys);
    else await this.#wait(keys, options);
    try {
      return await job();
    } finally {
      this.#end(keys);
    }
  }

  #hasPlaces(keys: Keys): boolean {
    const { placesEach } = this.#bounds;
    const placesOf = (key: string): number => (typeof placesEach === 'number' ? placesEach : placesEach(key));
    return this.#free > 0 && keys.every((key) => (this.#running.get(key) ?? 0) < placesOf(key));
  }

  #start(keys: Keys): void {
    this.#free -= 1;
    add(this.#running, keys, 1);
  }

  async #wait(keys: Keys, { signal, maxWaitMs = this.#bounds.maxWaitMs }: WaitOptions): Promise<void> {
    const name = keys.join(' ');
    if (signal?.aborted) throw tooBusy();
    if (this.#waiting >= this.#bounds.maxWaiting) this.#makeRoom(name);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { keys, enter: resolve, refuse: () => reject(tooBusy()) };
    const line = this.#lines.get(name) ?? new Set();
    this.#lines.set(name, line.add(waiting));
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
   * Refuses the last job of the longest line in favour of a new one; or the new one, if its line would be no shorter.
   */
  #makeRoom(newcomer: string): void {
    let [longest, length] = ['', (this.#lines.get(newcomer)?.size ?? 0) + 1];
    for (const [name, line] of this.#lines) if (line.size > length) [longest, length] = [name, line.size];
    const last = [...(this.#lines.get(longest) ?? [])].at(-1);
    if (!last) throw tooBusy();
    this.#refuse(longest, last);
  }

  #refuse(name: string, waiting: Waiting): void {
    this.#remove(name, waiting);
    waiting.refuse();
  }

  #remove(name: string, waiting: Waiting): void {
    const line = this.#lines.get(name);
    if (!line?.delete(waiting)) return;
    this.#waiting -= 1;
    if (line.size === 0) this.#lines.delete(name);
  }

  /**
   * Passes places on to waiting jobs without yielding, so that no new job gets them; a line that was served moves to
   * the end.
   */
  #end(ended: Keys): void {
    this.#free += 1;
    add(this.#running, ended, -1);
    // A job with several keys may have kept one waiting for each of them.
    for (const [name, line] of this.#lines) {
      if (this.#free === 0) return;
      const [first] = line;
      if (!first || !this.#hasPlaces(first.keys)) continue;
      this.#remove(name, first);
      if (this.#lines.delete(name)) this.#lines.set(name, line);
      this.#start(first.keys);
      first.enter();
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
  readonly enter: () => void;
  readonly refuse: () => void;
}
