import { hashSync, verifySync } from '@node-rs/argon2';

// What the threads of `password/argon2-threads.ts` run. It is an entry of the package because a thread begins with a file,
// which has to be found again in whatever a bundler makes of the rest.

/** A password and what it is hashed with. */
export interface HashTask {
  readonly password: string;
  readonly memoryKib: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** A PHC string of argon2id and the password that it may belong to. */
export interface VerifyTask {
  readonly stored: string;
  readonly password: string;
}

/** Hashes a password with a new random salt, to a PHC string. */
export function hash({ password, memoryKib, passes, parallelism }: HashTask): Promise<string> {
  return inTurn(() => hashSync(password, { memoryCost: memoryKib, timeCost: passes, parallelism }));
}

/** Says whether the password is the one that was hashed. */
export function verify({ stored, password }: VerifyTask): Promise<boolean> {
  return inTurn(() => verifySync(stored, password));
}

/** Does the work of one hash, and returns what tells its outcome. */
type Job = () => () => void;

const waiting: Job[] = [];
let isWorking = false;

/** Does the work of a hash after those that came before it. */
function inTurn<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push(() => {
      try {
        const outcome = work();
        return () => resolve(outcome);
      } catch (error) {
        return () => reject(error);
      }
    });
    if (!isWorking) void workOff();
  });
}

/** Hashes until nothing waits. While there is more to do than one hash, two outcomes at a time wake the app's event loop once. */
async function workOff(): Promise<void> {
  isWorking = true;
  let finished: (() => void)[] = [];
  for (let job = waiting.shift(); job; job = waiting.shift()) {
    finished.push(job());
    await letMessagesPass();
    if (finished.length < 2 && waiting.length >= 2) continue;
    for (const tell of finished) tell();
    finished = [];
    await letMessagesPass();
  }
  isWorking = false;
}

/** Lets in what was sent meanwhile, and out what was told. */
function letMessagesPass(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
