import { getRequestListener } from '@hono/node-server';
import { isObject } from '@x/errors';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../create-server.ts';
import { faultResponse, findAmbiguity, refuse, toRefusal } from '../http/fallback-responses.ts';

/** The part of a server that handlers for Node use. */
export type NodeServer = Pick<Server, 'respond' | 'serves' | 'auth'>;

/** Handles a request of Node. With `next`, it calls that for a request that is not for the server. */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse, next?: () => void) => void;

/** The properties that frameworks add to Node's requests. */
interface FrameworkRequest extends IncomingMessage {
  /** The URL before a router cut off the path that it is mounted at. */
  readonly originalUrl?: string;
  /** The result of a body parser. */
  readonly body?: unknown;
  /** The bytes of a body that was read before. */
  rawBody?: unknown;
}

/** Returns the target of a request, wherever a router has mounted its handler. */
export function targetOf({ originalUrl, url = '' }: FrameworkRequest): string {
  return originalUrl ?? url;
}

/**
 * Converts a server to a listener for the requests of `node:http`, and of frameworks that pass these on. It serves the
 * whole path, wherever a framework mounts it. By itself, it responds to every request; as middleware, it passes on
 * those that are not for the server.
 *
 * A body that `express.json()` or another body parser has read is taken from `request.body`. If other code has read the
 * body, the response is 500, and the log says which middleware to move.
 *
 * @example
 * ```ts
 * http.createServer(toNodeHandler(server)).listen(3000);
 * ```
 */
export function toNodeHandler({ respond, serves, auth }: NodeServer): NodeHandler {
  const { logger } = auth.http;
  const serve = getRequestListener(respond, {
    errorHandler: (error) => faultResponse(error, logger),
    // The app's globals are not replaced.
    overrideGlobalObjects: false,
  });
  return function handle(incoming: FrameworkRequest, outgoing, next) {
    if (next && !serves(targetOf(incoming))) {
      next();
      return;
    }
    try {
      const ambiguity = findAmbiguity(incoming);
      if (ambiguity !== null) throw ambiguity;
      restoreBody(incoming);
    } catch (error) {
      refuse(outgoing, toRefusal(error, logger));
      return;
    }
    incoming.url = targetOf(incoming);
    void serve(incoming, outgoing);
  };
}

/** @throws TypeError if the body was read, and its content is not known */
function restoreBody(incoming: FrameworkRequest): void {
  const wasRead = incoming.readableDidRead || incoming.readableEnded;
  if (!wasRead) return;
  removeCoding(incoming);
  if (incoming.rawBody instanceof Buffer) return;
  const { headers, body } = incoming;
  const restored = headers['content-length'] === '0' ? '' : toText(body, headers['content-type'] ?? '');
  if (restored === null) {
    throw new TypeError(
      `The body of ${incoming.method} ${incoming.url?.split('?', 1)[0]} was read before: mount the server before any body parser.`,
    );
  }
  incoming.rawBody = Buffer.from(restored);
}

/** Removes `Content-Encoding`, which a body parser leaves although it has decoded the body. */
function removeCoding(incoming: FrameworkRequest): void {
  delete incoming.headers['content-encoding'];
  const { rawHeaders } = incoming;
  // Names and values in turn.
  incoming.rawHeaders = rawHeaders.filter((_, at) => rawHeaders[at - (at % 2)]?.toLowerCase() !== 'content-encoding');
}

/** Returns the body that a body parser has read; null if the parser did not keep it. */
function toText(body: unknown, mediaType: string): string | Buffer | null {
  if (body === undefined) return null;
  if (body instanceof Buffer) return body;
  if (jsonType.test(mediaType)) return JSON.stringify(body, keepInfinity);
  if (typeof body === 'string') return body;
  if (!formType.test(mediaType) || !isObject(body)) return null;
  const fields = Object.entries(body).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  return new URLSearchParams(fields).toString();
}

/** Keeps a number beyond a double as a number, which is refused later. `JSON.stringify` would make it null. */
function keepInfinity(_key: string, value: unknown): unknown {
  if (value !== Infinity && value !== -Infinity) return value;
  return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(value < 0 ? '-1e400' : '1e400');
}

// Body parsers compare content types in any letter case.
const jsonType = /^application\/json[\t ]*(;|$)/i;
const formType = /^application\/x-www-form-urlencoded[\t ]*(;|$)/i;
