import { isInRanges, parseAddressRange, parseIpAddress } from './ip-address.ts';

/**
 * The trusted proxies: how many stand before the server, at most 32, or their addresses and CIDR ranges.
 *
 * A number is safe only if no client can reach the server without passing them; ranges do not depend on that.
 */
export type TrustProxy = number | readonly string[];

/**
 * Creates the function that returns the client's address of a request, in the form of RFC 5952, with IPv4-mapped IPv6
 * as IPv4.
 *
 * That is the address of the socket, unless it belongs to a trusted proxy: then it is the rightmost entry of
 * `X-Forwarded-For` that is not a trusted proxy, or the leftmost if all are. If an entry is not an address, neither it
 * nor anything left of it is believed, and the proxy that reported it counts as the client. `Forwarded` and `X-Real-IP`
 * are ignored. Without a socket address (not a Node server, or a Unix socket) no proxy vouches for the header, and the
 * result is null.
 *
 * @param trustProxy - default 0: no header is read
 * @throws TypeError for a number that is not a whole number from 0 to 32, and for a text that is not an address or
 * range
 */
export function createClientAddress(trustProxy: TrustProxy = 0): (c: AddressedRequest) => string | null {
  const isTrusted = typeof trustProxy === 'number' ? trustCount(trustProxy) : trustRanges(trustProxy);
  return function clientAddress(c) {
    const socket = socketAddress(c);
    if (socket === null || !isTrusted(socket, 0)) return socket;
    return rightmostUntrusted(socket, c.req.raw.headers.get('x-forwarded-for'), isTrusted);
  };
}

/** Says whether a hop may name the one before it; the socket is hop 0. */
type IsTrusted = (address: string, hop: number) => boolean;

/** Limits the cost of a long header; real chains have a few hops. */
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

function rightmostUntrusted(proxy: string, forwardedFor: string | null, isTrusted: IsTrusted): string {
  let client = proxy;
  let rest = forwardedFor;
  for (let hop = 1; rest !== null; hop += 1) {
    const comma = rest.lastIndexOf(',');
    const address = parseEntry(rest.slice(comma + 1));
    if (address === null) return client;
    if (!isTrusted(address, hop)) return address;
    client = address;
    rest = comma === -1 ? null : rest.slice(0, comma);
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

/** The parts of a request that tell the address of its client. The Hono context of a request has them. */
export interface AddressedRequest {
  readonly req: { readonly raw: { readonly headers: Headers } };
  /** The environment that the adapter passed to `fetch`. */
  readonly env: unknown;
}

/**
 * The connection as adapters provide it: on Node the socket, elsewhere the value that the caller of `fetch` passes
 * instead.
 */
interface Connection {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } };
  readonly remoteAddress?: unknown;
}

function socketAddress({ env }: AddressedRequest): string | null {
  const connection = env as Connection | undefined;
  const address = connection?.incoming?.socket?.remoteAddress ?? connection?.remoteAddress;
  return typeof address === 'string' ? parseIpAddress(address) : null;
}
