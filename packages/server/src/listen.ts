import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { CodedError, type OptionNames, refuseUnknownOptions } from '@x/errors';
import { noteConnection } from '@x/http/loop-turns';
import { type ConnectionBounds, Connections } from './admission/connections.ts';
import type { Server } from './create-server.ts';
import { endWithError, faultResponse, findAmbiguity, refuse } from './fallback-responses.ts';

/** Where and how to listen. */
export interface ListenOptions {
  /** 0 picks a free port. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly hostname?: string;
}

const optionNames: OptionNames<ListenOptions> = { port: true, hostname: true };

/** What of a server listens. Faults outside any route go to its logger. */
type ListeningServer = Pick<Server, 'respond' | 'admission' | 'auth' | 'live'>;

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

/** How long requests may take to arrive and connections may be idle, in milliseconds, and what connections may hold. */
export interface ListenBounds extends ConnectionBounds {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly keepAliveTimeout: number;
  /** How often Node looks for requests that take too long. */
  readonly connectionsCheckingInterval: number;
  /** How often to look for clients that do not read. */
  readonly sweepMs: number;
}

const defaultBounds: ListenBounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Proxies usually keep idle connections for a minute and reuse them for the next request; a server that closes them
  // sooner will sometimes do so just as a request arrives, which then fails.
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  stallMs: 10_000,
  sweepMs: 500,
  maxUnsentBytes: 64 * 1024 * 1024,
  maxPipelined: 4096,
};

/**
 * Serves on a port of this machine with Node's HTTP server.
 *
 * A request whose headers take 10 s or which takes 30 s to arrive is refused with 408. Requests on one connection are
 * responded to one after another, and a connection whose client takes nothing of a response for 10 s is cut.
 *
 * @throws ConfigurationError naming every unknown option
 * @throws the error of Node's `listen`, such as `EADDRINUSE`
 * @example
 * ```ts
 * const listener = await listen(server, { port: 3000 });
 * process.once('SIGTERM', () => listener.stop());
 * ```
 */
export async function listen(server: ListeningServer, options: ListenOptions): Promise<Listener> {
  refuseUnknownOptions(options, optionNames);
  return listenWithin(defaultBounds, server, options);
}

/** Serves like {@link listen}, within other bounds. */
export async function listenWithin(
  bounds: ListenBounds,
  { respond, admission, auth, live }: ListeningServer,
  { port, hostname = '127.0.0.1' }: ListenOptions,
): Promise<Listener> {
  const serve = getRequestListener(respond, { errorHandler: (error) => faultResponse(error, auth.http.logger) });
  const connections = new Connections({
    bounds,
    respond(outgoing, error) {
      const refusal = error ?? findAmbiguity(outgoing.req);
      if (refusal === null) void serve(outgoing.req, outgoing);
      else refuse(outgoing, refusal);
    },
  });
  const http = createServer({ ...bounds, requireHostHeader: false });
  const handle: RequestListener = (_incoming, outgoing) => {
    admission.beginTurn();
    connections.enqueue(outgoing, !http.listening);
  };
  http.on('connection', (socket) => {
    noteConnection();
    connections.add(socket);
  });
  http.on('request', handle);
  // Node's own responses to a missing Host and to an unknown Expect have neither our headers nor the one error shape.
  http.on('checkExpectation', handle);
  const fail = (socket: Duplex, error: CodedError): void => {
    if (!connections.fail(socket, error)) endWithError(socket, error);
  };
  http.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else fail(socket, toRequestError(error));
  });
  http.on('connect', (_request, socket) => {
    fail(socket, new CodedError('METHOD_NOT_ALLOWED', 'This server is not a proxy.'));
  });
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject).listen(port, hostname, resolve);
  });
  const address = http.address() as AddressInfo;
  const sweeping = setInterval(() => connections.cutStalled(), bounds.sweepMs).unref();
  const removeListener = admission.addListener(() => connections.counts());
  const stop = async (graceMs: number): Promise<void> => {
    // They would last until they are cut, and nothing is lost if they end.
    live?.stop();
    await closeWithin(graceMs, http, connections);
    clearInterval(sweeping);
    removeListener();
  };
  let stopped: Promise<void> | undefined;
  return { port: address.port, stop: (graceMs = 10_000) => (stopped ??= stop(graceMs)) };
}

async function closeWithin(graceMs: number, http: HttpServer, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  // A client that keeps sending requests cannot keep the server up.
  connections.announceEnd();
  const letGo = setInterval(() => http.closeIdleConnections(), 50);
  const cut = setTimeout(() => http.closeAllConnections(), graceMs);
  await closed;
  clearInterval(letGo);
  clearTimeout(cut);
}

/** Says what was wrong with a request that Node gave up reading (RFC 9110 sections 15.5.1 and 15.5.9). */
function toRequestError({ code }: NodeJS.ErrnoException): CodedError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new CodedError('REQUEST_TIMEOUT', 'The request did not arrive in time.');
  }
  return new CodedError('VALIDATION_FAILED', 'The request is not valid HTTP.');
}
