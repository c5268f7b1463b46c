import { getRequestListener, RequestError } from '@hono/node-server';
import { CodedError, type Logger, silentLogger } from '@x/errors';
import { securityHeaders } from '@x/http';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Server } from './create-server.ts';

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly hostname?: string;
  /** Hears of faults outside any route. */
  readonly logger?: Logger;
}

/** A server that listens. */
export interface Listener {
  /** The port that it listens on. */
  readonly port: number;
  /**
   * Stops accepting, lets the requests under way finish for up to `graceMs` (default 10 000), then cuts the
   * connections that are left. Idempotent.
   */
  stop(graceMs?: number): Promise<void>;
}

/**
 * Serves on a port of this machine with Node's HTTP server.
 *
 * @throws what `listen` of Node reports, such as `EADDRINUSE`
 */
export async function listen(server: Pick<Server, 'fetch'>, options: ListenOptions): Promise<Listener> {
  const { port, hostname = '127.0.0.1', logger = silentLogger } = options;
  const serve = getRequestListener(server.fetch, {
    errorHandler: (error) => renderBare(toCodedError(error, logger)),
  });
  const http = createServer({ requestTimeout: 30_000, headersTimeout: 15_000, requireHostHeader: false });
  const newest: NewestAnswers = new Map();
  const answer: RequestListener = (incoming, outgoing) => {
    if (isWanted({ http, newest }, incoming, outgoing)) void serve(incoming, outgoing);
  };
  http.on('request', answer);
  // Node's own answers to a missing Host and to an unknown Expect have neither our headers nor the one error shape.
  http.on('checkExpectation', answer);
  http.on('clientError', refuseUnreadable);
  http.on('connect', (_request, socket) => endWith(socket, new CodedError('METHOD_NOT_ALLOWED', 'This is no proxy.')));
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, hostname, resolve);
  });
  const address = http.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  return { port: address.port, stop: (graceMs = 10_000) => (stopped ??= stop({ http, newest }, graceMs)) };
}

/** The answer to the newest request of each connection that waits for one. */
type NewestAnswers = Map<Socket, ServerResponse>;

interface Listening {
  readonly http: HttpServer;
  readonly newest: NewestAnswers;
}

/**
 * Says whether to answer a request, and remembers its answer as the newest of its connection.
 *
 * Once the server stops, the newest answer of each connection says that it is the last (RFC 9112 section 9.6):
 * a client that keeps asking can not keep the server up, and what it asks after that is not begun.
 */
function isWanted({ http, newest }: Listening, { socket }: IncomingMessage, outgoing: ServerResponse): boolean {
  if (newest.get(socket)?.hasHeader('Connection')) return false;
  if (!http.listening) outgoing.setHeader('Connection', 'close');
  newest.set(socket, outgoing);
  outgoing.once('close', () => {
    if (newest.get(socket) === outgoing) newest.delete(socket);
  });
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

function toCodedError(error: unknown, logger: Logger): CodedError {
  if (error instanceof RequestError) return new CodedError('VALIDATION_FAILED', 'The request is not valid.');
  logger.error({ err: error }, 'request failed outside any route');
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
}

function renderBare(error: CodedError): Response {
  return Response.json({ error: error.toBody() }, { status: error.status, headers: bareHeaders() });
}

/** The headers of an answer that no route gave; a request id that nobody logs still tells two of them apart. */
function bareHeaders(): Record<string, string> {
  return {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': crypto.randomUUID(),
  };
}

/** Answers what Node could not read as HTTP (RFC 9110 section 15.5.1), and hangs up. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else endWith(socket, new CodedError('VALIDATION_FAILED', 'The request is not valid HTTP.'));
}

/** How long the other side may take to read an answer and hang up before it is cut off. */
const lingerMs = 500;

/** Answers on a bare socket and hangs up, whether the other side does or not. */
function endWith(socket: Duplex, error: CodedError): void {
  const body = JSON.stringify({ error: error.toBody() });
  const headers = { ...bareHeaders(), 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  // Nobody else listens to the socket of a CONNECT, and an error that nobody hears ends the process.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${error.status} Refused`, ...lines, '', body].join('\r\n'));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
