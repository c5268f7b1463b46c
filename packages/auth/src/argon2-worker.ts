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
export function hash({ password, memoryKib, passes, parallelism }: HashTask): string {
  return hashSync(password, { memoryCost: memoryKib, timeCost: passes, parallelism });
}

/** Says whether the password is the one that was hashed. */
export function verify({ stored, password }: VerifyTask): boolean {
  return verifySync(stored, password);
}
