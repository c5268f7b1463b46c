import { CodedError } from '@x/errors';
import { securityHeaders } from '@x/http';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Answers in the one error shape where no route's frame stands around the answer. */
export function answerBare(error: CodedError): Response {
  const { retryAfter } = error.extras;
  const headers = { ...bareHeaders(), ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }) };
  return Response.json({ error: error.toBody() }, { status: error.status, headers });
}

/**
 * Answers what Node could not read as HTTP (RFC 9110 section 15.5.1), and hangs up. A request that was read to its end
 * before it may still wait for its answer: then that is the last one, and this gets none, or it would be taken for it.
 */
export function refuseUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pending: ServerResponse | undefined,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (pending?.req.complete) pending.once('close', () => socket.destroy());
  else answerBareSocket(socket, new CodedError('VALIDATION_FAILED', 'The request is not valid HTTP.'));
}

/** Answers on a bare socket and hangs up, whether the other side does or not. */
export function answerBareSocket(socket: Duplex, error: CodedError): void {
  const body = JSON.stringify({ error: error.toBody() });
  const headers = { ...bareHeaders(), 'Content-Length': Buffer.byteLength(body) };
  const lines = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  // Nobody else listens to the socket of a CONNECT, and an error that nobody hears ends the process.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${error.status} Refused`, ...lines, '', body].join('\r\n'));
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMs).unref();
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

/** How long the other side may take to read an answer and hang up before it is cut off. */
const lingerMs = 500;
