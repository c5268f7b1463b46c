import { randomBytes } from 'node:crypto';
import type { PasswordHasher } from './hasher.ts';

/** Verifies passwords without revealing by timing whether there was a hash to verify against. */
export interface PasswordVerifier {
  /**
   * Says whether the password is right. Always false for null (no such user, or one without a password), and for a hash
   * that the hasher can't verify against.
   */
  verify(hash: string | null, password: string): Promise<boolean>;
}

/**
 * Creates a password verifier. It hashes a random password at once, with the current parameters, and verifies against
 * that if there is no usable hash. Every verification waits for this decoy, so that timing reveals nothing.
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
  // A failure surfaces in the next verification, which tries again; nobody is waiting for this one yet.
  dummy.catch(() => undefined);
  return dummy;
}
