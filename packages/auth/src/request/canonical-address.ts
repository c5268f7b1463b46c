import ipaddr from 'ipaddr.js';

/**
 * Brings an IP address to its one spelling: IPv4 in four decimal parts, also where it is mapped into IPv6, and IPv6 as
 * in RFC 5952. Null for anything else.
 */
export function canonicalAddress(text: string): string | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return text;
  return ipaddr.IPv6.isValid(text) ? ipaddr.process(text).toString() : null;
}
