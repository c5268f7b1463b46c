import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { HashTask, VerifyTask } from '../argon2-worker.ts';

/** As many hashes run at a time as there are cores, up to 4: more would only take each other's caches and memory. */
const maxThreads = Math.min(availableParallelism(), 4);

/** Runs argon2id on threads of its own, so that nothing else that Node does on threads waits behind a hash. */
export interface Argon2Threads {
  hash(task: HashTask): Promise<string>;
  verify(task: VerifyTask): Promise<boolean>;
}

let shared: Argon2Threads | undefined;

/** Returns the threads of this process, which begin with the first hash. They keep no process alive. */
export function argon2Threads(): Argon2Threads {
  shared ??= startThreads();
  return shared;
}

function startThreads(): Argon2Threads {
  const pool = new Piscina<unknown, unknown>({
    filename: import.meta.resolve('@x/auth/argon2-worker'),
    minThreads: 1,
    maxThreads,
    // The next hash waits at the thread itself, which then need not wait for the event loop to hand it over.
    concurrentTasksPerWorker: 2,
    idleTimeout: Infinity,
    recordTiming: false,
  });
  return {
    hash: async (task) => (await pool.run(task, { name: 'hash' })) as string,
    verify: async (task) => (await pool.run(task, { name: 'verify' })) as boolean,
  };
}
