import type { Context } from 'hono';
import { isInRanges, parseAddressRange } from './address-range.ts';
import { parseIpAddress } from './ip-address.ts';

/**
 * The proxies whose word counts: how many stand before the server, at most 32, or their addresses and CIDR ranges.
 *
 * A count is safe only where no client can reach the server past the proxies; ranges do not depend on that.
 */
export type TrustProxy = number | readonly string[];

/**
 * Builds the function that says where a request comes from, in the spelling of RFC 5952, IPv4-mapped IPv6 as IPv4.
 *
 * That is the address of the socket, unless it is a trusted proxy's: then the rightmost entry of `X-Forwarded-For`
 * that is no trusted proxy's, or the leftmost where all are. An entry that is no address is never believed, nor is
 * anything left of it: the client is then the proxy that reported it. `Forwarded` and `X-Real-IP` never count.
 * Without a socket address (no Node server, a Unix socket) nobody vouches for the header: null.
 *
 * @param trustProxy - default 0: no header is looked at
 * @throws TypeError for a count that is no whole number from 0 to 32, and for a text that is no address or range
 */
export function createClientAddress(trustProxy: TrustProxy = 0): (c: Context) => string | null {
  const isTrusted = typeof trustProxy === 'number' ? trustCount(trustProxy) : trustRanges(trustProxy);
  return function clientAddress(c) {
    const socket = socketAddress(c);
    if (socket === null || !isTrusted(socket, 0)) return socket;
    return rightmostUntrusted(socket, c.req.header('x-forwarded-for'), isTrusted);
  };
}

/** Says whether a hop may name the one before it; the socket's is number 0. */
type IsTrusted = (address: string, hop: number) => boolean;

/** Bounds what a long header can cost; real chains have a few hops. */
const maxHops = 32;

function trustCount(count: number): IsTrusted {
  if (!Number.isInteger(count) || count < 0 || count > maxHops) {
    throw new TypeError(`trustProxy: ${count} is not a whole number from 0 to ${maxHops}.`);
  }
  return (_address, hop) => hop < count;
}

function trustRanges(texts: readonly string[]): IsTrusted {
  const ranges = texts.map((text) => {
    const range = parseAddressRange(text);
    if (range === null) throw new TypeError(`trustProxy: ${JSON.stringify(text)} is not an IP address or CIDR range.`);
    return range;
  });
  return (address, hop) => hop < maxHops && isInRanges(address, ranges);
}

function rightmostUntrusted(proxy: string, forwardedFor: string | undefined, isTrusted: IsTrusted): string {
  let client = proxy;
  let rest = forwardedFor;
  for (let hop = 1; rest !== undefined; hop += 1) {
    const comma = rest.lastIndexOf(',');
    const address = parseEntry(rest.slice(comma + 1));
    if (address === null) return client;
    if (!isTrusted(address, hop)) return address;
    client = address;
    rest = comma === -1 ? undefined : rest.slice(0, comma);
  }
  return client;
}

// Some proxies add the client's port: `192.0.2.1:5678`, `[2001:db8::1]:443`.
const withPort = /^(?:([\d.]+):\d{1,5}|\[([\da-f]*:[^\]]*)\](?::\d{1,5})?)$/i;

function parseEntry(entry: string): string | null {
  const text = entry.trim();
  const [, ipv4, ipv6] = withPort.exec(text) ?? [];
  return parseIpAddress(ipv4 ?? ipv6 ?? text);
}

/** What adapters tell of the connection: Node's its socket, others what whoever calls `fetch` puts in its place. */
interface Connection {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  readonly remoteAddress?: unknown;
}

function socketAddress({ env }: Context<{ Bindings: Connection }>): string | null {
  const address = env?.incoming?.socket?.remoteAddress ?? env?.remoteAddress;
  return typeof address === 'string' ? parseIpAddress(address) : null;
}
