import ipaddr from 'ipaddr.js';

/**
 * Parses an IP address to its canonical form, so that two spellings of an address never count as two clients; null for
 * anything else. IPv4-mapped IPv6 becomes IPv4, other IPv6 the form of RFC 5952 without a zone id, because zones name
 * interfaces of one machine.
 *
 * IPv4 must be four decimal numbers, alone and at the end of IPv6: implementations disagree about `010.0.0.1`.
 */
export function parseIpAddress(text: string): string | null {
  return plainIpv4.exec(text)?.[1] ?? parseIpv6(text);
}

/**
 * Returns the network of one subscriber: the /64 of an IPv6 address, an IPv4 address itself.
 *
 * @param address - as {@link parseIpAddress} returns it
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return `${new ipaddr.IPv6([...groups, 0, 0, 0, 0]).toRFC5952String()}/64`;
}

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

const octet = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;

// The form in which dual-stack sockets report IPv4, matched without a parser because it is frequent.
const plainIpv4 = new RegExp(String.raw`^(?:::ffff:)?(${octet}(?:\.${octet}){3})$`, 'i');

const dottedEnd = new RegExp(String.raw`(?<=:)(${octet})\.(${octet})\.(${octet})\.(${octet})$`);
const zoneId = /%[\w.~-]+$/;
// Eight groups of four and their colons are 39 characters; longer text never reaches the parser.
const ipv6Characters = /^[\da-f:]{2,39}$/i;

function parseIpv6(text: string): string | null {
  const groups = text.replace(zoneId, '').replace(dottedEnd, toGroups);
  if (!ipv6Characters.test(groups) || !ipaddr.IPv6.isValid(groups)) return null;
  const address = ipaddr.IPv6.parse(groups);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
}

/** RFC 4291 section 2.2, form 3. ipaddr.js would accept octal and hex, and `::1.2.3.4` as IPv4-mapped. */
function toGroups(_dotted: string, ...octets: readonly string[]): string {
  const [a, b, c, d] = octets.slice(0, 4).map((text) => Number(text).toString(16).padStart(2, '0'));
  return `${a}${b}:${c}${d}`;
}

const rangeSyntax = /^([\da-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/i;
