import { RequestError } from '@hono/node-server';
import { CodedError, type Logger } from '@x/errors';
import { type ResponseHeaders, securityHeaders } from '@x/http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Responds with the common error shape to a request that no route handles. It has a length, as other responses do. */
export function fallbackResponse(error: CodedError, headers: ResponseHeaders = fallbackHeaders()): Response {
  const { retryAfter } = error.extras;
  const body = JSON.stringify({ error: error.toBody() });
  const own = {
    ...contentType,
    'Content-Length': String(Buffer.byteLength(body)),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
  };
  return new Response(body, { status: error.status, headers: { ...headers, ...own } });
}

/**
 * Responds to a request that failed outside every route: the adapter refused it, or a fault occurred, which is logged.
 */
export function faultResponse(error: unknown, logger: Logger): Response {
  return fallbackResponse(toRefusal(error, logger));
}

/** Converts an error that was thrown outside every route to a response's error. Logs it unless the client caused it. */
export function toRefusal(error: unknown, logger: Logger): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof RequestError) return new CodedError('VALIDATION_FAILED', 'The request is not valid.');
  logger.error({ err: error }, 'request failed outside any route');
  return new CodedError('INTERNAL_ERROR', 'Something went wrong.');
}

/**
 * Says why a request that Node has parsed is refused; null if it is not ambiguous. With two `Host` fields, a proxy may
 * have read the other one (RFC 9112 section 3.2). A target has no fragment (section 3.2.1): a proxy that cuts it off
 * would see another path.
 */
export function findAmbiguity({ rawHeaders, url = '' }: IncomingMessage): CodedError | null {
  if (url.includes('#')) return new CodedError('VALIDATION_FAILED', 'The target of a request has no fragment.');
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  return hosts > 1 ? new CodedError('VALIDATION_FAILED', 'A request has one Host.') : null;
}

/** Refuses a request after the responses to those before it, and closes the connection. */
export function refuse(outgoing: ServerResponse, error: CodedError): void {
  const { headers, body } = toLastResponse(error);
  outgoing.writeHead(error.status, headers).end(body);
}

/** Writes an error to a socket that has no response object, and closes it even if the client does not. */
export function endWithError(socket: Duplex, error: CodedError): void {
  const { headers, body } = toLastResponse(error);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // Node does not listen for errors on the socket of a CONNECT, and an unhandled error would end the process.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${error.status} Refused`, ...lines, '', body].join('\r\n'));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** The last response on its connection. */
function toLastResponse(error: CodedError): {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
} {
  const body = JSON.stringify({ error: error.toBody() });
  return { headers: { ...fallbackHeaders(), 'Content-Length': Buffer.byteLength(body), Connection: 'close' }, body };
}

/** The headers of a response outside any route. The request id is not logged, but distinguishes responses. */
function fallbackHeaders(): Record<string, string> {
  return {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    ...contentType,
    'X-Request-Id': crypto.randomUUID(),
  };
}

const contentType = { 'Content-Type': 'application/json; charset=utf-8' } as const;

/** How long the client may take to read the response and close before it is cut off. */
const lingerMs = 500;
