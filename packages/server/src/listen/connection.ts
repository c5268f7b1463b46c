import type { CodedError } from '@x/errors';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endWithError } from '../http/fallback-responses.ts';
import { isReadOnArrival } from './watch-sender.ts';

/** Starts to respond to a request: with the error, if there is one. */
type Respond = (outgoing: ServerResponse, error: CodedError | undefined) => void;

/** How many requests may wait for the one ahead of them: Node reads up to 3,600 in one chunk. */
const maxWaiting = 64;

/**
 * An open connection, whose requests are responded to one after another (RFC 9112 section 9.3.2). Each request starts
 * when the response before it has been sent, and meanwhile nothing more is read. Node would start all requests that
 * have arrived, and hold their responses for a client that reads none.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #respond: Respond;
  /** The response to the newest request. */
  #newest: ServerResponse | undefined;
  /** The error for the newest request, if it did not arrive as a whole while it waited. */
  #error: CodedError | undefined;
  #waiting = 0;

  constructor(socket: Socket, respond: Respond) {
    this.#socket = socket;
    this.#respond = respond;
  }

  /** Responds to a request once the responses before it have been sent. */
  enqueue(outgoing: ServerResponse): void {
    const before = this.#newest;
    this.#newest = outgoing;
    if (before === undefined || before.writableFinished) this.#start(outgoing);
    else if (this.#waiting === maxWaiting) this.#socket.destroy();
    else this.#wait(outgoing, before);
  }

  /** Whether the newest request is read while it arrives, which takes as long as its reader does. */
  get isReadOnArrival(): boolean {
    return this.#newest !== undefined && isReadOnArrival(this.#newest);
  }

  /** Makes the newest response announce that it is the last. */
  announceEnd(): void {
    if (this.#newest?.headersSent === false) this.#newest.setHeader('Connection', 'close');
  }

  /**
   * Ends the connection because of its newest input. The error is the response to it, unless the client could take it
   * for the response to another request.
   */
  fail(error: CodedError): void {
    const newest = this.#newest;
    if (newest === undefined || newest.writableFinished) {
      endWithError(this.#socket, error);
    } else if (newest.req.complete) {
      // The newest input is no request, so the client would take the error for the response to the request before.
      newest.once('close', () => this.#socket.destroy());
    } else if (newest.socket === null) {
      this.#error = error;
    } else if (newest.headersSent) {
      this.#socket.destroy();
    } else {
      failReading(newest, error);
    }
  }

  #wait(outgoing: ServerResponse, before: ServerResponse): void {
    this.#waiting += 1;
    this.#socket.pause();
    before.once('close', () => {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#socket.resume();
      // Node has resumed the socket to read the rest of the body before.
      else this.#socket.pause();
      this.#start(outgoing);
    });
  }

  #start(outgoing: ServerResponse): void {
    // After a response that announced that it is the last, no request is started (RFC 9112 section 9.6).
    if (this.#socket.writable) this.#respond(outgoing, outgoing === this.#newest ? this.#error : undefined);
  }
}

/** Makes the reader of a request body fail, and so respond; cuts the connection if that takes too long. */
function failReading(outgoing: ServerResponse, error: CodedError): void {
  const { req: incoming } = outgoing;
  if (incoming.listenerCount('error') === 0) {
    endWithError(incoming.socket, error);
    return;
  }
  outgoing.setHeader('Connection', 'close');
  incoming.emit('error', error);
  setTimeout(() => incoming.socket.destroy(), lingerMs).unref();
}

const lingerMs = 500;
