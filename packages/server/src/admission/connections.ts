import type { CodedError } from '@x/errors';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionCounts } from './in-flight.ts';

/** What the connections of a listener may hold, and for how long. */
export interface ConnectionBounds {
  /** How long a client may take nothing of a response that waits for it, in milliseconds. */
  readonly stallMs: number;
  /** Bytes of responses that wait to be sent, on all connections together. */
  readonly maxUnsentBytes: number;
  /** Requests that wait for the one ahead of them on their connection, on all connections together. */
  readonly maxPipelined: number;
}

/** What connections work with. */
export interface ConnectionsOptions {
  readonly bounds: ConnectionBounds;
  /** Responds to a request: with the error, if there is one. */
  readonly respond: (outgoing: ServerResponse, error: CodedError | undefined) => void;
}

/** One connection. */
interface Connection {
  readonly socket: Socket;
  /** The response that was begun last. */
  current: ServerResponse | undefined;
  /** The response to the request that came last: `current`, or the last of `queue`. */
  newest: ServerResponse | undefined;
  readonly queue: ServerResponse[];
  /** What the newest request is responded to with, if it did not arrive as a whole. */
  error: CodedError | undefined;
  /** How many bytes the client had taken by `progressAt`. */
  taken: number;
  /** When the client was last seen to take something, or to have nothing to take, in milliseconds. */
  progressAt: number;
}

/**
 * The open connections of a listener, and the order of the requests on each.
 *
 * Requests on one connection (RFC 9112 section 9.3.2) are responded to one after another: each is begun when the
 * response before it has been sent, and meanwhile nothing more is read from the connection. So a client that does not
 * read makes the server hold one response, and only until the connection is cut.
 */
export class Connections {
  readonly #open = new Map<Duplex, Connection>();
  readonly #bounds: ConnectionBounds;
  readonly #respond: ConnectionsOptions['respond'];
  #pipelined = 0;
  /** Connections with a request that waited for a response which has been sent now. */
  readonly #ready: Connection[] = [];

  constructor({ bounds, respond }: ConnectionsOptions) {
    this.#bounds = bounds;
    this.#respond = respond;
  }

  /** Adds a connection until it closes. */
  add(socket: Socket): void {
    const progress = { taken: 0, progressAt: performance.now() };
    const connection = { socket, current: undefined, newest: undefined, queue: [], error: undefined, ...progress };
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#clearQueue(connection);
      this.#open.delete(socket);
    });
  }

  /** Responds to a request once the responses before it on its connection have been sent. */
  enqueue(outgoing: ServerResponse, isLast: boolean): void {
    const connection = this.#open.get(outgoing.req.socket);
    // After a response that announces that it is the last, no request is begun (RFC 9112 section 9.6).
    if (connection === undefined || connection.socket.destroyed || connection.newest?.hasHeader('Connection')) return;
    if (isLast) outgoing.setHeader('Connection', 'close');
    connection.newest = outgoing;
    const isNext = connection.queue.length === 0 && (connection.current?.writableFinished ?? true);
    if (isNext) this.#begin(connection, outgoing);
    else this.#wait(connection, outgoing);
  }

  /** Makes the newest response of each connection announce that it is the last. */
  announceEnd(): void {
    for (const { newest } of this.#open.values()) {
      if (newest?.headersSent === false) newest.setHeader('Connection', 'close');
    }
  }

  /**
   * Gives up the newest request of a connection, which did not arrive as a whole, and closes the connection after
   * the response to it.
   *
   * @returns whether the request gets a response; if not, nothing was begun that could be mistaken for it
   */
  fail(socket: Duplex, error: CodedError): boolean {
    const connection = this.#open.get(socket);
    const newest = connection?.newest;
    if (connection === undefined || newest === undefined || newest.writableFinished) return false;
    if (newest.req.complete) {
      // There is another request, without a response object. What it got would be mistaken for the response to this one.
      newest.once('close', () => socket.destroy());
    } else if (newest !== connection.current) {
      connection.error = error;
    } else if (newest.headersSent) {
      socket.destroy();
    } else {
      return failReading(newest, error);
    }
    return true;
  }

  counts(): ConnectionCounts {
    let unsentBytes = 0;
    for (const { socket } of this.#open.values()) unsentBytes += socket.writableLength;
    return { connections: this.#open.size, pipelined: this.#pipelined, unsentBytes };
  }

  /** Cuts clients that take nothing, and if too much waits to be sent, those who took nothing for the longest time. */
  cutStalled(): void {
    const now = performance.now();
    let unsentBytes = 0;
    const slow: Connection[] = [];
    for (const connection of this.#open.values()) {
      const { writableLength } = connection.socket;
      const taken = writableLength === 0 ? -1 : takenBytes(connection.socket);
      if (writableLength === 0 || taken !== connection.taken) {
        connection.taken = taken;
        connection.progressAt = now;
      }
      if (writableLength === 0) continue;
      if (now - connection.progressAt >= this.#bounds.stallMs) {
        this.#cut(connection);
      } else {
        unsentBytes += writableLength;
        slow.push(connection);
      }
    }
    if (unsentBytes <= this.#bounds.maxUnsentBytes) return;
    for (const connection of slow.toSorted((one, other) => one.progressAt - other.progressAt)) {
      if (unsentBytes <= this.#bounds.maxUnsentBytes) return;
      unsentBytes -= connection.socket.writableLength;
      this.#cut(connection);
    }
  }

  #begin(connection: Connection, outgoing: ServerResponse): void {
    connection.current = outgoing;
    this.#respond(outgoing, outgoing === connection.newest ? connection.error : undefined);
  }

  #wait(connection: Connection, outgoing: ServerResponse): void {
    if (connection.queue.push(outgoing) === 1) this.#beginAfter(connection, connection.current);
    connection.socket.pause();
    this.#pipelined += 1;
    if (this.#pipelined > this.#bounds.maxPipelined) this.#cutLongestQueue();
  }

  #beginAfter(connection: Connection, outgoing: ServerResponse | undefined): void {
    outgoing?.once('close', () => {
      if (this.#ready.push(connection) === 1) setImmediate(() => this.#beginReady());
    });
  }

  /** Begins one of the requests that can be, and lets what else happened go ahead of the next. */
  #beginReady(): void {
    const connection = this.#ready.shift();
    if (this.#ready.length > 0) setImmediate(() => this.#beginReady());
    if (connection !== undefined) this.#beginNext(connection);
  }

  #beginNext(connection: Connection): void {
    const next = connection.socket.destroyed ? undefined : connection.queue.shift();
    if (next === undefined) return;
    this.#pipelined -= 1;
    if (connection.queue.length === 0) {
      connection.socket.resume();
    } else {
      this.#beginAfter(connection, next);
      // Node has resumed it to read the rest of the body before.
      connection.socket.pause();
    }
    this.#begin(connection, next);
  }

  #cutLongestQueue(): void {
    let longest: Connection | undefined;
    for (const each of this.#open.values()) if (each.queue.length > (longest?.queue.length ?? 0)) longest = each;
    if (longest !== undefined) this.#cut(longest);
  }

  #cut(connection: Connection): void {
    this.#clearQueue(connection);
    connection.socket.destroy();
  }

  #clearQueue({ queue }: Connection): void {
    this.#pipelined -= queue.length;
    queue.length = 0;
  }
}

/**
 * Returns how many bytes the system has taken to send. Of a large write, which stays in the buffer as a whole until its
 * last byte is taken, only the handle of the socket tells.
 */
function takenBytes({ _handle: handle, bytesWritten, writableLength }: SocketWithHandle): number {
  return handle ? handle.bytesWritten - handle.writeQueueSize : bytesWritten - writableLength;
}

/** What Node has no name for that it documents; its own timeouts of sockets use the same. */
interface SocketWithHandle extends Socket {
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
}

/**
 * Makes whoever reads the body of a request fail, and so respond; cuts the connection if that takes too long. Says
 * whether anybody reads it.
 */
function failReading(outgoing: ServerResponse, error: CodedError): boolean {
  const { req: incoming } = outgoing;
  if (incoming.listenerCount('error') === 0) return false;
  outgoing.setHeader('Connection', 'close');
  incoming.emit('error', error);
  setTimeout(() => incoming.socket.destroy(), lingerMs).unref();
  return true;
}

const lingerMs = 500;
