import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { CodedError, type Logger, type OptionNames, refuseUnknownOptions, silentLogger } from '@x/errors';
import type { Server } from './create-server.ts';
import { endWithError, fallbackResponse, findAmbiguity, refuse, refuseUnreadable } from './fallback-responses.ts';

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly hostname?: string;
  /** Logs faults that occur outside any route. */
  readonly logger?: Logger;
}

const optionNames: OptionNames<ListenOptions> = { port: true, hostname: true, logger: true };

/** A listening server. */
export interface Listener {
  /** The actual port. */
  readonly port: number;
  /**
   * Stops accepting connections, gives requests in progress up to `graceMs` (default 10,000) to finish, then cuts the
   * remaining connections. Idempotent.
   */
  stop(graceMs?: number): Promise<void>;
}

// In milliseconds. Proxies usually keep idle connections for a minute and reuse them for the next request; a server
// that closes them sooner will sometimes do so just as a request arrives, which then fails.
const timeouts = { headersTimeout: 15_000, requestTimeout: 30_000, keepAliveTimeout: 65_000 };

/**
 * Serves on a port of this machine with Node's HTTP server.
 *
 * @throws ConfigurationError naming every unknown option
 * @throws the error of Node's `listen`, such as `EADDRINUSE`
 * @example
 * ```ts
 * const listener = await listen(server, { port: 3000 });
 * process.once('SIGTERM', () => listener.stop());
 * ```
 */
export async function listen(server: Pick<Server, 'respond'>, options: ListenOptions): Promise<Listener> {
  refuseUnknownOptions(options, optionNames);
  const { port, hostname = '127.0.0.1', logger = silentLogger } = options;
  const serve = getRequestListener(server.respond, { errorHandler: (error) => respondToFault(error, logger) });
  const http = createServer({ ...timeouts, requireHostHeader: false });
  const newest: NewestResponses = new Map();
  const handle: RequestListener = (incoming, outgoing) => {
    if (!isWanted({ http, newest }, incoming, outgoing)) return;
    const ambiguity = findAmbiguity(incoming);
    if (ambiguity === null) void serve(incoming, outgoing);
    else refuse(outgoing, ambiguity);
  };
  http.on('connection', (socket) => socket.once('close', () => newest.delete(socket)));
  http.on('request', handle);
  // Node's own responses to a missing Host and to an unknown Expect have neither our headers nor the one error shape.
  http.on('checkExpectation', handle);
  http.on('clientError', (error, socket) => {
    const pending = newest.get(socket);
    refuseUnreadable(error, socket, pending?.writableFinished ? undefined : pending);
  });
  http.on('connect', (_request, socket) => {
    endWithError(socket, new CodedError('METHOD_NOT_ALLOWED', 'This server is not a proxy.'));
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, hostname, resolve);
  });
  const address = http.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return { port: address.port, stop: (graceMs = 10_000) => (stopped ??= stop({ http, newest }, graceMs)) };
}

/** The response to the newest request of each open connection, whether or not it has been sent. */
type NewestResponses = Map<Duplex, ServerResponse>;

interface Listening {
  readonly http: HttpServer;
  readonly newest: NewestResponses;
}

/**
 * Says whether to handle a request, and remembers its response as the newest of its connection.
 *
 * Once the server stops, the newest response of each connection announces that it is the last (RFC 9112 section 9.6): a
 * client that keeps sending requests cannot keep the server up, and later requests are not started.
 */
function isWanted({ http, newest }: Listening, { socket }: IncomingMessage, outgoing: ServerResponse): boolean {
  if (newest.get(socket)?.hasHeader('Connection')) return false;
  if (!http.listening) outgoing.setHeader('Connection', 'close');
  newest.set(socket, outgoing);
  return true;
}

async function stop({ http, newest }: Listening, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  for (const outgoing of newest.values()) if (!outgoing.headersSent) outgoing.setHeader('Connection', 'close');
  const letGo = setInterval(() => http.closeIdleConnections(), 50);
  const cut = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearInterval(letGo);
  clearTimeout(cut);
}

/**
 * Responds to a request that failed outside every route: one that the adapter refused, or a fault.
 */
function respondToFault(error: unknown, logger: Logger): Response {
  return fallbackResponse(toCodedError(error, logger));
}

function toCodedError(error: unknown, logger: Logger): CodedError {
  if (error instanceof RequestError) return new CodedError('VALIDATION_FAILED', 'The request is not valid.');
  logger.error({ err: error }, 'request failed outside any route');
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
}
