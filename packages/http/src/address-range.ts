import ipaddr from 'ipaddr.js';
import { parseIpAddress } from './ip-address.ts';

/** The addresses that share their leading bits with a network address. */
export interface AddressRange {
  readonly network: ipaddr.IPv4 | ipaddr.IPv6;
  /** How many leading bits count. */
  readonly prefixLength: number;
}

/**
 * Parses an address (a range of one) or a CIDR range (RFC 4632 section 3.1); null for anything else.
 *
 * A range of IPv4-mapped IPv6 becomes the IPv4 range, because such addresses are converted to IPv4; one that includes
 * other addresses too is refused.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [, written, prefix] = rangeSyntax.exec(text) ?? [];
  const address = written === undefined ? null : parseIpAddress(written);
  if (written === undefined || address === null) return null;
  const network = ipaddr.parse(address);
  const writtenBits = written.includes(':') ? 128 : 32;
  const bits = network.kind() === 'ipv4' ? 32 : 128;
  const prefixLength = Number(prefix ?? writtenBits) - (writtenBits - bits);
  return prefixLength >= 0 && prefixLength <= bits ? { network, prefixLength } : null;
}

/** Says whether a text is an address or a CIDR range. */
export function isAddressRange(text: string): boolean {
  return parseAddressRange(text) !== null;
}

/** Says whether any of the ranges contains an address, in the form that {@link parseIpAddress} returns. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  const address = ipaddr.parse(text);
  return ranges.some(
    ({ network, prefixLength }) => address.kind() === network.kind() && address.match(network, prefixLength),
  );
}

const rangeSyntax = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;
