import { CodedError } from '@x/errors';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { HashTask, ThreadOutcome, ThreadTask, VerifyTask } from './argon2-worker.ts';

// Not in `password/`: the built file has to be beside that of the threads, which it names.

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

/** Returns the threads of this process, which are started by the first hash. They do not keep the process alive. */
export function argon2Threads(): Argon2Threads {
  shared ??= createArgon2Threads(startThread);
  return shared;
}

/**
 * Starts a thread. `new Worker(new URL(…, import.meta.url))` is the form that bundlers know, and they follow it to the
 * built file; the sources run as they are.
 */
function startThread(): Worker {
  return import.meta.url.endsWith('.ts')
    ? new Worker(new URL(import.meta.url.replace('argon2-threads', 'argon2-worker')))
    : new Worker(new URL('./argon2-worker.js', import.meta.url));
}

/**
 * Creates threads. If one fails, hashing is `SERVICE_UNAVAILABLE` until the next hash starts new threads. If they can't
 * start at all, as in a bundle without their file, hashing goes on in the threads of Node, and a warning says so once.
 */
export function createArgon2Threads(start: () => Worker): Argon2Threads {
  let pool: ThreadPool | undefined;
  let canStart = true;
  // One running hash per thread, and one waiting at every second thread, keep them busy until the event loop has sent
  // more.
  const delay = createDelay(Math.ceil(1.5 * threads));

  const runOnThreads = async (task: HashTask | VerifyTask): Promise<string | boolean> => {
    let current: ThreadPool | undefined;
    try {
      current = pool = pool && !pool.hasEnded ? pool : new ThreadPool(start);
      return await current.run(task);
    } catch (cause) {
      if (current?.hasStarted) throw cause;
      if (canStart) warnOfNoThreads(cause);
      canStart = false;
      return runWithoutThreads(task);
    }
  };
  const run = async (task: HashTask | VerifyTask): Promise<string | boolean> => {
    try {
      return await (canStart ? runOnThreads(task) : runWithoutThreads(task));
    } catch (cause) {
      throw new CodedError('SERVICE_UNAVAILABLE', 'Passwords cannot be checked right now. Try again shortly.', {
        retryAfter: 1,
        cause,
      });
    }
  };
  return {
    hash: async (task) => (await delay(() => run(task))) as string,
    verify: async (task) => (await delay(() => run(task))) as boolean,
  };
}

function warnOfNoThreads(cause: unknown): void {
  process.emitWarning('Passwords are hashed without threads of their own, which delays other work of Node.', {
    code: 'X_AUTH_NO_HASH_THREADS',
    detail: `Their file was not found or not started: ${String(cause)}. Keep @x/auth out of the bundle, or bundle @x/auth/argon2-worker into argon2-worker.js beside it.`,
  });
}

/** Loaded only here: the app itself has no use for the native code if its threads have it. */
async function runWithoutThreads(task: HashTask | VerifyTask): Promise<string | boolean> {
  const { hash, verify } = await import('@node-rs/argon2');
  if ('stored' in task) return verify(task.stored, task.password);
  const { password, memoryKib, passes, parallelism } = task;
  return hash(password, { memoryCost: memoryKib, timeCost: passes, parallelism });
}

interface Thread {
  readonly worker: Worker;
  /** By the ids of their tasks. */
  readonly inFlight: Map<number, PromiseWithResolvers<string | boolean>>;
}

/** Threads that live and end together. */
class ThreadPool {
  /** Whether a thread has begun to run its file. */
  hasStarted = false;
  hasEnded = false;
  readonly #threads: Thread[] = [];
  #lastId = 0;

  constructor(start: () => Worker) {
    while (this.#threads.length < threads) this.#threads.push(this.#listen(start()));
  }

  /** Runs a task on the thread with the fewest. It keeps the process alive until its outcome is known. */
  run(task: HashTask | VerifyTask): Promise<string | boolean> {
    const thread = this.#threads.reduce((a, b) => (b.inFlight.size < a.inFlight.size ? b : a));
    const pending = Promise.withResolvers<string | boolean>();
    const id = ++this.#lastId;
    thread.inFlight.set(id, pending);
    thread.worker.ref();
    thread.worker.postMessage({ id, task } satisfies ThreadTask);
    return pending.promise;
  }

  #listen(worker: Worker): Thread {
    const thread: Thread = { worker, inFlight: new Map() };
    worker.unref();
    worker.on('message', (outcomes: readonly ThreadOutcome[]) => {
      this.hasStarted = true;
      for (const outcome of outcomes) settle(thread, outcome);
      if (thread.inFlight.size === 0) worker.unref();
    });
    worker.on('error', (cause) => this.#end(cause));
    worker.on('exit', (code) => this.#end(new Error(`A thread of argon2 ended with the exit code ${code}.`)));
    return thread;
  }

  #end(cause: unknown): void {
    this.hasEnded = true;
    for (const { worker, inFlight } of this.#threads) {
      for (const { reject } of inFlight.values()) reject(cause);
      inFlight.clear();
      void worker.terminate();
    }
  }
}

function settle({ inFlight }: Thread, { id, value, failure }: ThreadOutcome): void {
  const pending = inFlight.get(id);
  inFlight.delete(id);
  if (value === undefined) pending?.reject(failure);
  else pending?.resolve(value);
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
