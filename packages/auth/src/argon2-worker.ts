import { hashSync, verifySync } from '@node-rs/argon2';
import { parentPort } from 'node:worker_threads';

// The code of the threads of `argon2-threads.ts`. It is a file of its own, and an entry of the package, because a thread
// is started from a file, which bundlers have to find.

/** A password, and the parameters to hash it with. */
export interface HashTask {
  readonly password: string;
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A PHC string of argon2id, and the password to check against it. */
export interface VerifyTask {
  readonly stored: string;
  readonly password: string;
}

/** One task of a thread. */
export interface ThreadTask {
  readonly id: number;
  readonly task: HashTask | VerifyTask;
}

/** What became of a task: a PHC string, or whether a password is right. */
export interface ThreadOutcome {
  readonly id: number;
  readonly value?: string | boolean;
  /** Why there is no value. */
  readonly failure?: unknown;
}

const waiting: ThreadTask[] = [];
let isWorking = false;

parentPort?.on('message', (task: ThreadTask) => {
  waiting.push(task);
  if (!isWorking) void runQueue();
});
// Says that the thread has started.
parentPort?.postMessage([]);

/**
 * Hashes until the queue is empty. While more than one hash is left, outcomes are sent two at a time, to wake the app's
 * event loop less often.
 */
async function runQueue(): Promise<void> {
  isWorking = true;
  let finished: ThreadOutcome[] = [];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    finished.push(run(next));
    await yieldToEventLoop();
    if (finished.length < 2 && waiting.length >= 2) continue;
    parentPort?.postMessage(finished);
    finished = [];
  }
  isWorking = false;
}

function run({ id, task }: ThreadTask): ThreadOutcome {
  try {
    return { id, value: 'stored' in task ? verify(task) : hash(task) };
  } catch (failure) {
    return { id, failure };
  }
}

/** Hashes a password with a new random salt, to a PHC string. */
function hash({ password, memoryKib, passes, parallelism }: HashTask): string {
  return hashSync(password, { memoryCost: memoryKib, timeCost: passes, parallelism });
}

function verify({ stored, password }: VerifyTask): boolean {
  return verifySync(stored, password);
}

/** Lets queued messages in. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
