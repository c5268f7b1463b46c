import { networkOf } from '@x/http/address';

/**
 * Returns the key that limits count an address under: the subscriber's network. All requests without an address share
 * one key, so hiding it gains nothing.
 *
 * @param address - in canonical form, or null
 */
export function addressKey(address: string | null): string {
  return address === null ? 'unknown' : networkOf(address);
}
