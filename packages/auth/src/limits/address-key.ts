import ipaddr from 'ipaddr.js';

/**
 * Returns what limits count an address by: IPv4 as it is, IPv6 by its /64, which is what one subscriber has. All
 * requests without an address share one key, so that hiding it buys nothing.
 *
 * @param address - in canonical form, or null
 */
export function addressKey(address: string | null): string {
  if (address === null) return 'unknown';
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === 'ipv4') return address;
  const network = ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`);
  return `${network.toString()}/64`;
}
