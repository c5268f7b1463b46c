import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendsLines } from '@x/http';

/** How long the client may keep the reader of a body waiting, and how often that is looked at, in milliseconds. */
export interface SenderBounds {
  readonly maxWaitMs: number;
  readonly checkMs: number;
}

/** The client gets the time of a request for each part of this many bytes: the default limit of other bodies. */
const bytesPerPart = 256 * 1024;

/** Says whether a request is arriving whose body is read meanwhile, so that the time that it takes is the reader's. */
export function isReadOnArrival({ req: incoming, writableEnded }: ServerResponse): boolean {
  return !incoming.complete && !writableEnded && sendsLines(incoming.headers['content-type']);
}

/**
 * Watches the client that sends a body which is read while it arrives. What counts is only the time for which its reader
 * waits for it.
 *
 * @param onStall - called once, if the client takes too long
 */
export function watchSender(
  incoming: IncomingMessage,
  { maxWaitMs, checkMs }: SenderBounds,
  onStall: () => void,
): void {
  let partStart = incoming.socket.bytesRead;
  let waitedMs = 0;
  const check = (): void => {
    if (incoming.complete || incoming.destroyed) clearInterval(timer);
    else if (incoming.socket.bytesRead - partStart >= bytesPerPart) {
      partStart = incoming.socket.bytesRead;
      waitedMs = 0;
    } else if (incoming.readableLength === 0 && !incoming.isPaused()) {
      waitedMs += checkMs;
      if (waitedMs < maxWaitMs) return;
      clearInterval(timer);
      onStall();
    }
  };
  const timer = setInterval(check, checkMs).unref();
  incoming.once('close', () => clearInterval(timer));
}
