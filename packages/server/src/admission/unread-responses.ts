import type { Duplex } from 'node:stream';

/** How often it is looked at what waits, in milliseconds. */
const lookMs = 250;

/**
 * Bounds what waits in this process for clients that do not read it. Each connection has one response at most that is not
 * sent, but that may be a page of a mebibyte, and there may be thousands of connections. While too much waits, those of
 * which none could be sent since the last look are cut, the oldest first.
 *
 * @param connections - the sockets of those that are open, the oldest first
 * @param maxBytes - of all connections together
 * @returns what ends it
 */
export function boundUnread(connections: ReadonlyMap<Duplex, unknown>, maxBytes: number): () => void {
  let before = new Map<Duplex, number>();
  const look = (): void => {
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
  const timer = setInterval(look, lookMs).unref();
  return () => clearInterval(timer);
}
