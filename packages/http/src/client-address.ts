import type { Context } from 'hono';

/** Returns the address that the request's socket comes from, IPv4-mapped IPv6 as IPv4; null where none is known. */
export function clientAddress(
  c: Context<{ Bindings: { incoming?: { socket?: { remoteAddress?: string } } } }>,
): string | null {
  const address = c.env?.incoming?.socket?.remoteAddress;
  return address === undefined ? null : address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
