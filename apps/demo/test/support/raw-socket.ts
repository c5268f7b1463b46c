import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection that sends any given bytes, and keeps what comes back. */
export interface RawSocket {
  readonly socket: Socket;
  /** Returns the text that has come back so far. */
  received(): string;
  send(text: string): void;
  /** Resolves as soon as what came back matches; rejects when the connection ends before. */
  receive(pattern: RegExp): Promise<string>;
  /** Resolves with all that came back, when the other side has ended. */
  readonly ended: Promise<string>;
}

/**
 * Connects to a port of this machine; the connection does not outlive the test. Half open, it never hangs up itself.
 */
export async function openSocket(port: number, options: { readonly allowHalfOpen?: boolean } = {}): Promise<RawSocket> {
  const socket = connect({ port, host: '127.0.0.1', ...options });
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => (received += text));
  await once(socket, 'connect');
  // A reset is one of the ways in which the other side may end.
  socket.on('error', () => {});
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  const receive = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(received)) {
      if (socket.destroyed) throw new Error(`The connection ended with: ${received}`);
      await Promise.race([new Promise((resolve) => socket.once('data', resolve)), ended]);
    }
    return received;
  };
  return { socket, received: () => received, send: (text) => void socket.write(text, 'latin1'), receive, ended };
}

/** Sends some bytes on a connection of their own; returns all that comes back until the server ends it. */
export async function exchange(port: number, text: string): Promise<string> {
  const raw = await openSocket(port);
  raw.send(text);
  return raw.ended;
}

/** Returns the status codes of the answers in a text, in order. */
export function statusesOf(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
