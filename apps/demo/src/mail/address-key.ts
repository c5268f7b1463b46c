import { isPlainAddress } from './plain-address.ts';

/** The longest address is 254 bytes; NFKC takes quadratic time on long runs of combining marks. */
const maxLength = 1024;

/**
 * Returns what the spellings of an address that people use have in common, its canonical form above all; null where the
 * text is no address.
 */
export function toAddressKey(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed.length > maxLength) return null;
  const key = trimmed.normalize('NFKC').toLowerCase();
  return isPlainAddress(key) ? key : null;
}
