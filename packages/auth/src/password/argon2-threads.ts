import { CodedError } from '@x/errors';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { HashTask, VerifyTask } from '../argon2-worker.ts';

/**
 * As many hashes run at a time as there are cores, up to 4; more would only compete for caches and memory bandwidth.
 */
const threads = Math.min(availableParallelism(), 4);

/**
 * One that runs, and those queued at the thread itself, so that it need not wait for the event loop to send the next.
 */
const hashesPerThread = 4;

/** How many hashes the threads accept at once; most of them wait. */
export const argon2Concurrency: number = threads * hashesPerThread;

/** Runs argon2id on its own threads, so that no other threaded work of Node waits behind a hash. */
interface Argon2Threads {
  hash(task: HashTask): Promise<string>;
  verify(task: VerifyTask): Promise<boolean>;
}

let shared: Argon2Threads | undefined;

/**
 * Returns the threads of this process, which are started by the first hash. They do not keep the process alive.
 *
 * @throws Error if the file that they run is not found, as in a bundle without this package in `node_modules`
 */
export function argon2Threads(): Argon2Threads {
  shared ??= createArgon2Threads(import.meta.resolve('@x/auth/argon2-worker'));
  return shared;
}

/**
 * Creates threads that run a file. If a thread fails, hashing is `SERVICE_UNAVAILABLE` until the next hash starts new
 * threads; a pool would restart a thread that can't start, endlessly.
 */
export function createArgon2Threads(filename: string): Argon2Threads {
  let pool: Pool | undefined;
  // One running hash per thread, and one waiting at every second thread, keep them busy until the event loop has sent
  // more.
  const delay = createDelay(Math.ceil(1.5 * threads));
  const discard = (failed: Pool): void => {
    if (pool === failed) pool = undefined;
    void failed.destroy().catch(() => undefined);
  };
  const run = async (task: HashTask | VerifyTask, name: 'hash' | 'verify'): Promise<unknown> => {
    const current = (pool ??= startPool(filename, discard));
    try {
      return await current.run(task, { name });
    } catch (cause) {
      discard(current);
      throw new CodedError('SERVICE_UNAVAILABLE', 'Passwords cannot be checked right now. Try again shortly.', {
        retryAfter: 1,
        cause,
      });
    }
  };
  return {
    hash: async (task) => (await delay(() => run(task, 'hash'))) as string,
    verify: async (task) => (await delay(() => run(task, 'verify'))) as boolean,
  };
}

type Pool = Piscina<unknown, unknown>;

function startPool(filename: string, onFailure: (pool: Pool) => void): Pool {
  const pool: Pool = new Piscina({
    filename,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: hashesPerThread,
    idleTimeout: Infinity,
    recordTiming: false,
  });
  // A thread that ends or fails to start while idle; an unhandled event would end the process.
  pool.on('error', () => onFailure(pool));
  return pool;
}

/** Runs work, and may delay its outcome for a while. */
export type Delay = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that delays outcomes while more than `few` are in progress, and then releases all of them
 * together.
 *
 * Hashing fills the CPU caches, so code that runs between two hashes starts cold. Sign-ins that continue together take
 * less time on the event loop, and share a commit. A response is delayed only while others are waiting anyway.
 *
 * @param few - up to this many are never waited for
 */
export function createDelay(few: number): Delay {
  let inFlight = 0;
  let delayed: (() => void)[] = [];

  const release = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    delayed.push(resolve);
    inFlight -= 1;
    if (inFlight <= few) {
      for (const resume of delayed) resume();
      delayed = [];
    }
    return promise;
  };
  return async (work) => {
    inFlight += 1;
    try {
      return await work();
    } finally {
      await release();
    }
  };
}
