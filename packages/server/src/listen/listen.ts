import {
  createServer,
  maxHeaderSize,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { CodedError } from '@x/errors';
import { Connection } from './connection.ts';
import { boundUnread } from './unread-responses.ts';
import { isReadOnArrival, watchSender } from './watch-sender.ts';
import type { Server } from '../create-server.ts';
import { faultResponse, findAmbiguity, refuse } from '../http/fallback-responses.ts';

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly hostname?: string;
  /**
   * How long requests are still served once it is to stop, while `/readyz` is 503, in milliseconds, so that load
   * balancers notice before the port closes. Default 0.
   */
  readonly drainMs?: number;
}

/** The part of a server that listens. Its logger receives faults outside any route. */
type ListeningServer = Pick<Server, 'respond' | 'admission' | 'auth' | 'live'>;

/** A listening server. */
export interface Listener {
  /** The actual port. */
  readonly port: number;
  /**
   * Fails `/readyz` for `drainMs`, reads what has arrived, stops accepting connections, gives requests in progress up to
   * `graceMs` (default 10,000) to finish, and cuts the remaining connections. `close` of the server begins with it.
   * Idempotent.
   */
  stop(graceMs?: number): Promise<void>;
}

/** How long requests may take to arrive, responses may stall and connections may be idle, in milliseconds. */
export interface ListenBounds {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  /** How often Node looks for requests that take too long. */
  readonly connectionsCheckingInterval: number;
  /** How long a client may leave a response unread. */
  readonly stallMs: number;
  /** How many bytes of responses may wait for all clients together. Default: 128 MiB. */
  readonly maxUnreadBytes?: number;
}

const maxUnreadBytes = 2 ** 27;

const defaultBounds: ListenBounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Proxies usually keep idle connections for a minute and reuse them. If the server closes them sooner, a request that
  // arrives at that moment fails.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  stallMs: 10_000,
};

/**
 * Serves on a port of this machine with Node's HTTP server.
 *
 * A request is refused with 408 if its headers take 10 s, or if it takes 30 s to arrive. One whose lines are read while
 * they arrive may take longer, but its client may take 30 s for each 256 KiB. Requests on one connection are responded to
 * one after another. A connection whose client reads nothing of a response for 10 s is cut after 20 s at
 * the latest. While 128 MiB of responses wait for clients that do not read, the oldest of their connections are cut at
 * once.
 *
 * @throws the error of Node's `listen`, such as `EADDRINUSE`
 * @example
 * ```ts
 * await listen(server, { port: 3000 });
 * process.once('SIGTERM', () => server.close());
 * ```
 */
export async function listen(server: ListeningServer, options: ListenOptions): Promise<Listener> {
  return listenWithin(defaultBounds, server, options);
}

/** Serves like {@link listen}, within other bounds. */
export async function listenWithin(
  bounds: ListenBounds,
  { respond, admission, auth, live }: ListeningServer,
  { port, hostname = '127.0.0.1', drainMs = 0 }: ListenOptions,
): Promise<Listener> {
  const serve = getRequestListener(respond, { errorHandler: (error) => faultResponse(error, auth.http.logger) });
  const respondTo = (outgoing: ServerResponse, refusal: CodedError | null): void => {
    if (refusal !== null) {
      refuse(outgoing, refusal);
      return;
    }
    if (isReadOnArrival(outgoing)) {
      const { requestTimeout: maxWaitMs, connectionsCheckingInterval: checkMs } = bounds;
      watchSender(outgoing.req, { maxWaitMs, checkMs }, () => connections.get(outgoing.req.socket)?.fail(tooLate()));
    }
    void serve(outgoing.req, outgoing);
  };
  const start = (outgoing: ServerResponse, error: CodedError | undefined): void => {
    respondTo(outgoing, error ?? findAmbiguity(outgoing.req));
    // A response that the system has taken as a whole cannot stall.
    if (outgoing.writableEnded && outgoing.req.socket.writableLength === 0) return;
    outgoing.setTimeout(bounds.stallMs, () => endIfStalled(outgoing.req.socket));
  };
  const connections = new Map<Duplex, Connection>();
  const http = createServer({ ...bounds, requireHostHeader: false });
  http.on('connection', (socket) => {
    admission.noteConnection();
    connections.set(socket, new Connection(socket, start));
    socket.once('close', () => connections.delete(socket));
  });
  const handle: RequestListener = ({ socket }, outgoing) => {
    admission.noteRequest();
    if (!http.listening) outgoing.setHeader('Connection', 'close');
    connections.get(socket)?.enqueue(outgoing);
  };
  http.on('request', handle);
  // Node's own responses to a missing Host and to an unknown Expect lack the common headers and the error shape.
  http.on('checkExpectation', handle);
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else if (error.code !== timeoutCode || !connection?.isReadOnArrival) connection?.fail(toRequestError(error));
  });
  http.on('connect', ({ socket }) => {
    connections.get(socket)?.fail(new CodedError('METHOD_NOT_ALLOWED', 'This server is not a proxy.'));
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen({ port, host: hostname, backlog }, resolve);
  });
  const address = http.address() as AddressInfo;
  const endBound = boundUnread(connections, bounds.maxUnreadBytes ?? maxUnreadBytes);
  auth.http.logger.info({}, `listening on ${toUrl(hostname, address)}`);
  const stop = async (graceMs: number): Promise<void> => {
    admission.announceStop();
    await setTimeout(drainMs);
    await readWhatArrived();
    // Streams would last until they are cut. Their clients resume elsewhere.
    live?.stop();
    // A client that keeps sending requests cannot keep the server up.
    for (const connection of connections.values()) connection.announceEnd();
    await closeWithin(graceMs, http);
    removeListener();
    endBound();
  };
  let stopped: Promise<void> | undefined;
  const listener: Listener = { port: address.port, stop: (graceMs = 10_000) => (stopped ??= stop(graceMs)) };
  const removeListener = admission.addListener({ connections, stop: () => listener.stop() });
  return listener;
}

/** Returns the URL of a listener as a person opens it. */
function toUrl(hostname: string, { family, address, port }: AddressInfo): string {
  if (hostname === '127.0.0.1') return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Ends a connection that was idle for a while, if a response waits to be sent. Otherwise the request is still in
 * progress, or a stream has no event. Node counts the progress of a large write as activity.
 */
function endIfStalled(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}

/** Waits until the connections that the system holds are accepted, and what they sent is read. Otherwise they are reset. */
async function readWhatArrived(): Promise<void> {
  for (let turn = 0; turn < backlog + 3; turn += 1) await setImmediate();
}

/** How many connections wait at most. The event loop accepts one of them in a turn. */
const backlog = 511;

async function closeWithin(graceMs: number, http: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const letGo = setInterval(() => http.closeIdleConnections(), 50);
  const cut = globalThis.setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearInterval(letGo);
  clearTimeout(cut);
}

const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

function tooLate(): CodedError {
  return new CodedError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
}

/** Converts an error of Node's parser (RFC 9110 sections 15.5.1 and 15.5.9, RFC 6585 section 5). */
function toRequestError({ code }: NodeJS.ErrnoException): CodedError {
  if (code === timeoutCode) return tooLate();
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new CodedError('HEADERS_TOO_LARGE', `The URL and the headers have more than ${maxHeaderSize} bytes.`);
  }
  return new CodedError('VALIDATION_FAILED', 'The request is not valid HTTP.');
}
