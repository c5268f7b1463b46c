import type * as argon2 from '@node-rs/argon2';
import { refuseUnknownOptions } from '@x/errors';
import type { PasswordHasher } from './hasher.ts';

/** The cost of argon2id. */
export interface Argon2Parameters {
  /** m: memory per hash in KiB, from 8 to 262 144. */
  readonly memoryKib: number;
  /** t: passes over the memory, from 1 to 16. */
  readonly passes: number;
  /** p: lanes, from 1 to 16. */
  readonly parallelism: number;
}

/** The least that OWASP ASVS 5.0 appendix C accepts for argon2id with one lane and two passes. */
const defaultParameters: Argon2Parameters = { memoryKib: 19_456, passes: 2, parallelism: 1 };

/** Above these, a single verification could exhaust the machine: a hash string can ask for 4 TiB of memory. */
const limits = { memoryKib: 262_144, passes: 16, parallelism: 16 } as const;

/**
 * The PHC string of argon2id version 1.3 with a salt of at least 8 bytes and a hash of at least 16.
 *
 * @see RFC 9106 section 3.1 and https://github.com/P-H-C/phc-string-format
 */
const phc =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,5}),t=([1-9]\d?),p=([1-9]\d?)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Base64 without padding that encodes whole bytes; argon2 would throw on stray bits. */
const wholeBytes = /^(?:.{4})*(?:.[AQgw]|..[AEIMQUYcgkosw048])?$/;

/** 16 bytes of salt and 32 of hash, in base64 without padding. */
const currentLengths = { salt: 22, hash: 43 } as const;

/**
 * Creates the default password hasher: argon2id with a 16-byte salt, in the threads of Node.
 *
 * @throws ConfigurationError naming every unknown parameter
 * @throws TypeError if a parameter is out of range
 */
export function createArgon2Hasher(parameters: Partial<Argon2Parameters> = {}): PasswordHasher {
  refuseUnknownOptions(parameters, defaultParameters);
  const live = { ...defaultParameters, ...parameters };
  if (!isAffordable(live)) {
    throw new TypeError(
      'The argon2 parameters are out of range: passes and parallelism are whole numbers from 1 to 16, memoryKib one from 8 for each lane to 262 144.',
    );
  }
  const { memoryKib: memoryCost, passes: timeCost, parallelism } = live;
  return {
    hash: async (password) => (await loadArgon2()).hash(password, { memoryCost, timeCost, parallelism }),
    canVerify: (stored) => parseParameters(stored) !== null,
    verify: async (stored, password) =>
      parseParameters(stored) !== null && (await loadArgon2()).verify(stored, password),
    needsRehash: (stored) => !isCurrent(stored, live),
  };
}

/** Its native code is loaded by the first hash: an app with a hasher of its own has no use for it. */
function loadArgon2(): Promise<typeof argon2> {
  return import('@node-rs/argon2');
}

function isCurrent(stored: string, live: Argon2Parameters): boolean {
  const found = parseParameters(stored);
  if (found === null) return false;
  return (
    found.memoryKib === live.memoryKib &&
    found.passes === live.passes &&
    found.parallelism === live.parallelism &&
    found.saltLength >= currentLengths.salt &&
    found.hashLength >= currentLengths.hash
  );
}

function parseParameters(
  stored: string,
): (Argon2Parameters & { readonly saltLength: number; readonly hashLength: number }) | null {
  const [match, memory, passes, parallelism, salt = '', digest = ''] = phc.exec(stored) ?? [];
  if (match === undefined || !wholeBytes.test(salt) || !wholeBytes.test(digest)) return null;
  const found = { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  return isAffordable(found) ? { ...found, saltLength: salt.length, hashLength: digest.length } : null;
}

/** Memory is at least 8 KiB per lane. See RFC 9106 section 3.1. */
function isAffordable({ memoryKib, passes, parallelism }: Argon2Parameters): boolean {
  return (
    isWithin(parallelism, 1, limits.parallelism) &&
    isWithin(passes, 1, limits.passes) &&
    isWithin(memoryKib, 8 * parallelism, limits.memoryKib)
  );
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}
