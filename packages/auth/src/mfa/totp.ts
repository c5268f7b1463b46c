import { encodeBase32UpperCaseNoPadding } from '@oslojs/encoding';
import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp';
import { randomBytes } from '../crypto/random.ts';

// SHA-1, six digits and 30 seconds: the parameters that every authenticator app supports.
const digits = 6;
const periodSeconds = 30;

/** How many steps before and after the current one are accepted (RFC 6238 section 5.2). */
const toleratedSteps = 1;

/** Creates a secret of 160 bits (RFC 4226 section 4, R6). */
export function createTotpSecret(): Uint8Array {
  return randomBytes(20);
}

/**
 * Finds the time step of a code, near a moment; null if there is none. If two steps have the same code, the later one
 * counts.
 *
 * @param code - anything but six ASCII digits matches no step
 * @see RFC 6238 section 4.2
 */
export function findStep(secret: Uint8Array, code: string, now: Date): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null;
  const current = Math.floor(now.getTime() / 1000 / periodSeconds);
  let found: number | null = null;
  // Checks all of them, so that the timing does not reveal which one matched.
  for (let step = Math.max(0, current - toleratedSteps); step <= current + toleratedSteps; step += 1) {
    if (verifyHOTP(secret, BigInt(step), digits, code)) found = step;
  }
  return found;
}

/** Formats a secret for typing it in: base32 without padding (RFC 4648 section 6). */
export function encodeSecret(secret: Uint8Array): string {
  return encodeBase32UpperCaseNoPadding(secret);
}

/** Builds the `otpauth:` URI that an authenticator app reads as a QR code. */
export function toKeyUri(key: {
  readonly secret: Uint8Array;
  readonly issuer: string;
  readonly account: string;
}): string {
  // Some apps do not decode a plus sign to a space.
  return createTOTPKeyURI(key.issuer, key.account, key.secret, periodSeconds, digits).replaceAll('+', '%20');
}
