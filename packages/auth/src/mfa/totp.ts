import { encodeBase32UpperCaseNoPadding } from '@oslojs/encoding';
import { createTOTPKeyURI, verifyHOTP } from '@oslojs/otp';
import { randomBytes } from 'node:crypto';

// SHA-1, six digits and 30 seconds: what every authenticator app understands.
const digits = 6;
const periodSeconds = 30;

/** How many steps before and after the current one a code may be of (RFC 6238 section 5.2). */
const toleratedSteps = 1;

/** Makes a secret of 160 bits (RFC 4226 section 4, R6). */
export function createTotpSecret(): Uint8Array {
  return randomBytes(20);
}

/**
 * Finds the time step that a code is of, around a moment; null where it is of none. Of two steps with one code it is the
 * later one.
 *
 * @param code - anything but six ASCII digits is of no step
 * @see RFC 6238 section 4.2
 */
export function findStep(secret: Uint8Array, code: string, now: Date): number | null {
  if (!/^[0-9]{6}$/.test(code)) return null;
  const current = Math.floor(now.getTime() / 1000 / periodSeconds);
  let found: number | null = null;
  // All of them, so that the time tells nothing of which it was.
  for (let step = Math.max(0, current - toleratedSteps); step <= current + toleratedSteps; step += 1) {
    if (verifyHOTP(secret, BigInt(step), digits, code)) found = step;
  }
  return found;
}

/** Spells a secret as people type it in: base32 without padding (RFC 4648 section 6). */
export function spellSecret(secret: Uint8Array): string {
  return encodeBase32UpperCaseNoPadding(secret);
}

/** Builds the `otpauth:` URI that an authenticator app reads as a QR code. */
export function toKeyUri(key: {
  readonly secret: Uint8Array;
  readonly issuer: string;
  readonly account: string;
}): string {
  // Some apps show a plus sign where they are sent one for a space.
  return createTOTPKeyURI(key.issuer, key.account, key.secret, periodSeconds, digits).replaceAll('+', '%20');
}
