import { CodedError } from '@x/errors';
import { randomBytes } from 'node:crypto';
import pLimit from 'p-limit';

/** Hashes passwords to PHC strings and verifies passwords against them, off the event loop. */
export interface PasswordHasher {
  /** Hashes a password with a new random salt and the current parameters, which the PHC string contains. */
  hash(password: string): Promise<string>;

  /**
   * Says whether passwords can be verified against a hash. False for a malformed hash, one of another function, and one
   * whose parameters would exhaust the machine.
   */
  canVerify(hash: string): boolean;

  /**
   * Says whether a password matches a hash, with the parameters that the hash contains. False, without any work, if it
   * can't verify against the hash.
   */
  verify(hash: string, password: string): Promise<boolean>;

  /** Says whether a hash differs from what {@link PasswordHasher.hash} would make now, in function or parameters. */
  needsRehash(hash: string): boolean;
}

/** How much hashing may be in progress at once. */
interface HashBounds {
  /** Hashes that run at the same time, 1 or more. */
  readonly concurrency: number;
  /** Hashes that may wait for a free slot, 0 or more. */
  readonly maxWaiting: number;
}

/**
 * Bounds a password hasher, so that a flood of sign-ins neither takes all memory and threads nor makes everybody wait
 * for minutes. Hashes beyond the bounds are refused at once with `SERVICE_UNAVAILABLE` and `retryAfter`, whatever the
 * password and whoever it belongs to.
 */
export function boundHasher(hasher: PasswordHasher, { concurrency, maxWaiting }: HashBounds): PasswordHasher {
  const limit = pLimit(concurrency);
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.activeCount + limit.pendingCount >= concurrency + maxWaiting) throw tooBusy();
    return limit(work);
  };
  return {
    hash: (password) => enter(() => hasher.hash(password)),
    verify: (hash, password) => enter(() => hasher.verify(hash, password)),
    canVerify: (hash) => hasher.canVerify(hash),
    needsRehash: (hash) => hasher.needsRehash(hash),
  };
}

function tooBusy(): CodedError {
  return new CodedError('SERVICE_UNAVAILABLE', 'Too many people are signing in right now. Try again shortly.', {
    retryAfter: 1,
  });
}

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
  let hashed = hashDecoy(hasher);
  return {
    async verify(hash, password) {
      hashed = hashed.catch(() => hashDecoy(hasher));
      const decoy = await hashed;
      const isReal = hash !== null && hasher.canVerify(hash);
      const isRight = await hasher.verify(isReal ? hash : decoy, password);
      return isReal && isRight;
    },
  };
}

function hashDecoy(hasher: PasswordHasher): Promise<string> {
  const decoy = hasher.hash(randomBytes(32).toString('base64url'));
  // A failure surfaces in the next verification, which tries again; nobody is waiting for this one yet.
  decoy.catch(() => undefined);
  return decoy;
}
