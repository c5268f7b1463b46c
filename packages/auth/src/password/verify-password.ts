import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from './password-hasher.ts';

/** Checks passwords so that the time taken does not tell whether there was a hash that it could check against. */
export interface PasswordVerifier {
  /**
   * Says whether the password is right; always false for null, the hash of nobody or of a user without one, and
   * for a hash that the hasher can't verify against.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}

/**
 * Creates a password verifier. It hashes a random password at once, with the live parameters, and verifies
 * against that where there is no other hash to verify against. Every verification waits for it, so that none is
 * told apart by it.
 */
export function createPasswordVerifier(hasher: PasswordHasher): PasswordVerifier {
  let dummy = makeDummy(hasher);
  return {
    async verify(hash, password) {
      dummy = dummy.catch(() => makeDummy(hasher));
      const decoy = await dummy;
      const isReal = hash !== null && hasher.canVerify(hash);
      const isRight = await hasher.verify(isReal ? hash : decoy, password);
      return isReal && isRight;
    },
  };
}

function makeDummy(hasher: PasswordHasher): Promise<string> {
  const dummy = hasher.hash(randomBytes(32).toString('base64url'));
  // A failure is met by the next verification, which tries again; nobody waits for this one yet.
  dummy.catch(() => undefined);
  return dummy;
}
