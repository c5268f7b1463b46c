import { FairQueue, type FairQueueLimits } from '@x/store/engine';
import { randomToken } from '../crypto/random.ts';
import { addressKey } from '../rate-limits/rate-limits.ts';
import type { RequestContext } from '../request/request-context.ts';

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

  /** Says whether a hash differs in function or parameters from one that {@link PasswordHasher.hash} makes now. */
  needsRehash(hash: string): boolean;
}

/** The client whose request needs a hash: requests from the same network are one flow of the fair queue. */
type Requester = Pick<RequestContext, 'ipAddress'>;

/** A password hasher that hashes for requests, within bounds, and passwords in one form. */
export interface BoundedHasher extends Pick<PasswordHasher, 'canVerify' | 'needsRehash'> {
  hash(password: string, requester: Requester): Promise<string>;
  verify(hash: string, password: string, requester: Requester): Promise<boolean>;
}

/**
 * Returns the form of a password that is hashed, whichever way the keyboard of the day composes its letters.
 *
 * @see NIST SP 800-63B section 3.1.1.2
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Gives a password hasher a concurrency limit and a fair queue, so that a flood of sign-ins neither takes all memory
 * and threads nor makes all users wait for minutes. The queue serves networks in rotation, so that none can exclude the
 * others. Hashes beyond the bounds are refused with `SERVICE_UNAVAILABLE` and `retryAfter`, for every password and user
 * alike.
 */
export function boundHasher(hasher: PasswordHasher, bounds: FairQueueLimits): BoundedHasher {
  const queue = new FairQueue(bounds);
  return {
    hash: (password, { ipAddress }) => queue.run(addressKey(ipAddress), () => hasher.hash(normalizePassword(password))),
    verify: (hash, password, { ipAddress }) => queue.run(addressKey(ipAddress), () => hasher.verify(hash, password)),
    canVerify: (hash) => hasher.canVerify(hash),
    needsRehash: (hash) => hasher.needsRehash(hash),
  };
}

/** In which form a password is right: in the one that is hashed now, or as typed, in which imported hashes have it. */
type PasswordMatch = 'normalized' | 'typed';

/** Verifies passwords without revealing by timing whether there was a hash to verify against. */
export interface PasswordVerifier {
  /**
   * Says whether the password is right. Always null for null (no such user, or one without a password), and for a hash
   * that the hasher can't verify against.
   */
  verify(hash: string | null, password: string, requester: Requester): Promise<PasswordMatch | null>;
}

/**
 * Creates a password verifier. The first verification hashes a random password, with the current parameters; those
 * without a usable hash are verified against that. Every verification waits for this decoy, and tries all forms of a
 * wrong password, so that timing reveals nothing.
 */
export function createPasswordVerifier(hasher: BoundedHasher): PasswordVerifier {
  let hashed: Promise<string> | undefined;
  return {
    async verify(hash, password, requester) {
      hashed = hashed?.catch(() => hashDecoy(hasher)) ?? hashDecoy(hasher);
      const decoy = await hashed;
      const isReal = hash !== null && hasher.canVerify(hash);
      const normalized = normalizePassword(password);
      const isRight = (form: string): Promise<boolean> => hasher.verify(isReal ? hash : decoy, form, requester);
      if (await isRight(normalized)) return isReal ? 'normalized' : null;
      return normalized !== password && (await isRight(password)) && isReal ? 'typed' : null;
    },
  };
}

function hashDecoy(hasher: BoundedHasher): Promise<string> {
  return hasher.hash(randomToken(), { ipAddress: null });
}
