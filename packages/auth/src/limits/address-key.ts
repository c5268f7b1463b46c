import { networkOf } from '@x/http/address';

/**
 * Returns what limits count an address by: one subscriber's network. All requests without an address share one key, so
 * that hiding it buys nothing.
 *
 * @param address - in canonical form, or null
 */
export function addressKey(address: string | null): string {
  return address === null ? 'unknown' : networkOf(address);
}
