import { hashSync, verifySync } from '@node-rs/argon2';

// The code of the threads of `password/argon2-threads.ts`. It is an entry of the package because a thread is started
// from a file, which has to exist under a known name even after an app has been bundled.

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

/** Hashes a password with a new random salt, to a PHC string. */
export function hash({ password, memoryKib, passes, parallelism }: HashTask): Promise<string> {
  return enqueue(() => hashSync(password, { memoryCost: memoryKib, timeCost: passes, parallelism }));
}

/** Says whether the password is the one that was hashed. */
export function verify({ stored, password }: VerifyTask): Promise<boolean> {
  return enqueue(() => verifySync(stored, password));
}

/** Does the work of one hash, and returns a function that reports the outcome. */
type Job = () => () => void;

const waiting: Job[] = [];
let isWorking = false;

/** Runs the work of a hash after those that were queued before it. */
function enqueue<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        const outcome = work();
        return () => resolve(outcome);
      } catch (error) {
        return () => reject(error);
      }
    });
    if (!isWorking) void runQueue();
  });
}

/**
 * Hashes until the queue is empty. While more than one hash is left, outcomes are sent two at a time, to wake the app's
 * event loop less often.
 */
async function runQueue(): Promise<void> {
  isWorking = true;
  let finished: (() => void)[] = [];
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    finished.push(job());
    await yieldToEventLoop();
    if (finished.length < 2 && waiting.length >= 2) continue;
    for (const deliver of finished) deliver();
    finished = [];
    await yieldToEventLoop();
  }
  isWorking = false;
}

/** Lets queued messages in, and finished outcomes out. */
function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
