import { CodedError } from '@x/errors';
import { securityHeaders } from '@x/http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Responds with the one error shape, for a request that no route handles. */
export function fallbackResponse(error: CodedError): Response {
  const { retryAfter } = error.extras;
  const headers = { ...fallbackHeaders(), ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) };
  return Response.json({ error: error.toBody() }, { status: error.status, headers });
}

/**
 * Responds to what Node could not parse as HTTP (RFC 9110 section 15.5.1), and closes the connection. An earlier
 * request on it may still be waiting for its response: then that becomes the last one, and this gets none, because it
 * would be mistaken for it.
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pending: ServerResponse | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (pending?.req.complete) pending.once('close', () => socket.destroy());
  else endWithError(socket, new CodedError('VALIDATION_FAILED', 'The request is not valid HTTP.'));
}

/** Writes an error to a socket that has no response object, and closes it, whether or not the other side does. */
export function endWithError(socket: Duplex, error: CodedError): void {
  const body = JSON.stringify({ error: error.toBody() });
  const headers = { ...fallbackHeaders(), 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  // Nobody else listens to the socket of a CONNECT, and an unhandled error would end the process.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${error.status} Refused`, ...lines, '', body].join('\r\n'));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** The headers of a response outside any route. The request id is not logged, but still distinguishes two of them. */
function fallbackHeaders(): Record<string, string> {
  return {
    ...securityHeaders,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': crypto.randomUUID(),
  };
}

/** How long the other side may take to read the response and close before it is cut off. */
const lingerMs = 500;
