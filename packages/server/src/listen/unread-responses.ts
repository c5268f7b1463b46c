import type { Duplex } from 'node:stream';

/** How often the unread bytes are counted, in milliseconds. */
const checkMs = 250;

/**
 * Bounds the memory of responses that clients do not read. A connection has at most one unsent response, but that may
 * be a page of a mebibyte, and there may be thousands of connections. While too many bytes wait, connections of which
 * no byte was sent since the last check are cut, the oldest first.
 *
 * @param connections - the sockets of the open connections, the oldest first
 * @param maxBytes - of all connections together
 * @returns a function that ends the checks
 */
export function boundUnread(connections: ReadonlyMap<Duplex, unknown>, maxBytes: number): () => void {
  let before = new Map<Duplex, number>();
  const check = (): void => {
    const waiting = new Map<Duplex, number>();
    let total = 0;
    for (const socket of connections.keys()) {
      if (socket.writableLength > 0) waiting.set(socket, socket.writableLength);
      total += socket.writableLength;
    }
    for (const [socket, bytes] of waiting) {
      if (total <= maxBytes) break;
      if (before.get(socket) !== bytes) continue;
      socket.destroy();
      total -= bytes;
    }
    before = waiting;
  };
  const timer = setInterval(check, checkMs).unref();
  return () => clearInterval(timer);
}
