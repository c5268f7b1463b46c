import { refuseUnknownOptions } from '@x/errors';
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHasher } from './hasher.ts';

/** The cost of scrypt. A hash takes 128 · 2^ln · r bytes of memory; more than 256 MiB is refused. */
export interface ScryptParameters {
  /** ln: the base-2 logarithm of the cost N, from 1 to 21. */
  readonly ln: number;
  /** r: block size, from 1 to 32. */
  readonly r: number;
  /** p: parallelization, from 1 to 16. */
  readonly p: number;
}

interface StoredHash extends ScryptParameters {
  readonly salt: Buffer;
  readonly digest: Buffer;
}

/** One of the settings that OWASP ASVS 5.0 appendix C accepts for scrypt. */
const defaultParameters: ScryptParameters = { ln: 17, r: 8, p: 1 };

const maxMemoryBytes = 256 * 1024 * 1024;
const saltBytes = 16;
const digestBytes = 32;

/** The PHC string, its salt and hash in base64 without padding. See https://github.com/P-H-C/phc-string-format */
const phc = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

const deriveBytes = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * Creates a password hasher that uses the scrypt of `node:crypto`, for runtimes without argon2.
 *
 * @throws ConfigurationError naming every unknown parameter
 * @throws TypeError if a parameter is out of range
 */
export function createScryptHasher(parameters: Partial<ScryptParameters> = {}): PasswordHasher {
  refuseUnknownOptions(parameters, defaultParameters);
  const live = { ...defaultParameters, ...parameters };
  if (!isAffordable(live)) {
    throw new TypeError(
      'The scrypt parameters are out of range: ln is a whole number from 1 to 21, r from 1 to 32, p from 1 to 16, and 128 * 2 ** ln * r at most 256 MiB.',
    );
  }
  return {
    hash: (password) => hashPassword(password, live),
    canVerify: (stored) => parseHash(stored) !== null,
    verify: verifyPassword,
    needsRehash: (stored) => !isCurrent(stored, live),
  };
}

async function hashPassword(password: string, live: ScryptParameters): Promise<string> {
  const salt = randomBytes(saltBytes);
  const digest = await derive(password, salt, live, digestBytes);
  return `$scrypt$ln=${live.ln},r=${live.r},p=${live.p}$${toBase64(salt)}$${toBase64(digest)}`;
}

async function verifyPassword(stored: string, password: string): Promise<boolean> {
  const found = parseHash(stored);
  if (found === null) return false;
  const digest = await derive(password, found.salt, found, found.digest.length);
  return timingSafeEqual(digest, found.digest);
}

function isCurrent(stored: string, live: ScryptParameters): boolean {
  const found = parseHash(stored);
  if (found === null) return false;
  const sameCost = found.ln === live.ln && found.r === live.r && found.p === live.p;
  return sameCost && found.salt.length >= saltBytes && found.digest.length >= digestBytes;
}

function derive(password: string, salt: Buffer, { ln, r, p }: ScryptParameters, length: number): Promise<Buffer> {
  // OpenSSL counts its working buffers too, hence the factor of two.
  return deriveBytes(password, salt, length, { N: 2 ** ln, r, p, maxmem: 2 * maxMemoryBytes });
}

function parseHash(stored: string): StoredHash | null {
  const [match, ln, r, p, salt = '', digest = ''] = phc.exec(stored) ?? [];
  if (match === undefined) return null;
  const found = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (!isAffordable(found)) return null;
  return { ...found, salt: Buffer.from(salt, 'base64'), digest: Buffer.from(digest, 'base64') };
}

function isAffordable({ ln, r, p }: ScryptParameters): boolean {
  const isInRange = isWithin(ln, 1, 21) && isWithin(r, 1, 32) && isWithin(p, 1, 16);
  return isInRange && 128 * 2 ** ln * r <= maxMemoryBytes;
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
