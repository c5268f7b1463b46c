import { CodedError } from '@x/errors';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { HashTask, VerifyTask } from '../argon2-worker.ts';
import { holdOutcomes } from './hold-outcomes.ts';

/** As many hashes run at a time as there are cores, up to 4: more would only take each other's caches and memory. */
const threads = Math.min(availableParallelism(), 4);

/** One that runs and those that wait at the thread itself, which need not wait for the event loop to hand them over. */
const hashesPerThread = 4;

/** How many hashes the threads take at once, of which most wait. */
export const argon2Concurrency: number = threads * hashesPerThread;

/** Runs argon2id on threads of its own, so that nothing else that Node does on threads waits behind a hash. */
export interface Argon2Threads {
  hash(task: HashTask): Promise<string>;
  verify(task: VerifyTask): Promise<boolean>;
}

let shared: Argon2Threads | undefined;

/**
 * Returns the threads of this process, which begin with the first hash. They keep no process alive.
 *
 * @throws Error where the file that they run is not found, as in a bundle without this package in `node_modules`
 */
export function argon2Threads(): Argon2Threads {
  shared ??= createArgon2Threads(import.meta.resolve('@x/auth/argon2-worker'));
  return shared;
}

/**
 * Creates threads that run a file. Where one of them fails, hashing is `SERVICE_UNAVAILABLE` until the next hash begins with
 * new ones: a pool would replace what can't start without end.
 */
export function createArgon2Threads(filename: string): Argon2Threads {
  let pool: Pool | undefined;
  // One hash that runs in each thread, and one that waits in every other, keep them busy until the event loop has sent more.
  const hold = holdOutcomes(Math.ceil(1.5 * threads));
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
    hash: async (task) => (await hold(() => run(task, 'hash'))) as string,
    verify: async (task) => (await hold(() => run(task, 'verify'))) as boolean,
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
  // A thread that ends or can't start while it has nothing to do; unheard, this would end the process.
  pool.on('error', () => onFailure(pool));
  return pool;
}
