import { getRequestListener } from '@hono/node-server';
import { isObject } from '@x/errors';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Server } from '../create-server.ts';
import { faultResponse, findAmbiguity, refuse, toRefusal } from '../admission/fallback-responses.ts';

/** What handlers for Node need of a server. */
export type NodeServer = Pick<Server, 'respond' | 'auth'>;

/** What frameworks add to the requests of Node. */
interface FrameworkRequest extends IncomingMessage {
  /** The URL before a router cut off the path that it is mounted at. */
  readonly originalUrl?: string;
  /** What a body parser made of the body. */
  readonly body?: unknown;
  /** The bytes of a body that has been read already. */
  rawBody?: unknown;
}

/**
 * Converts a server to a listener for the requests of `node:http`, and of frameworks that pass these on. Wherever such a
 * framework mounts it, it serves the whole path.
 *
 * What `express.json()` or another body parser has read before is taken from `request.body`. If anything else has read
 * the body, the response is 500, and the log says what to move.
 *
 * @example
 * ```ts
 * http.createServer(toNodeHandler(server)).listen(3000);
 * ```
 */
export function toNodeHandler({ respond, auth }: NodeServer): RequestListener {
  const { logger } = auth.http;
  const serve = getRequestListener(respond, {
    errorHandler: (error) => faultResponse(error, logger),
    // The globals of somebody else's app are not ours to replace.
    overrideGlobalObjects: false,
  });
  return function handle(incoming: FrameworkRequest, outgoing) {
    try {
      const ambiguity = findAmbiguity(incoming);
      if (ambiguity !== null) throw ambiguity;
      restoreBody(incoming);
    } catch (error) {
      refuse(outgoing, toRefusal(error, logger));
      return;
    }
    if (incoming.originalUrl !== undefined) incoming.url = incoming.originalUrl;
    void serve(incoming, outgoing);
  };
}

/** @throws TypeError if the body was read, and what it was is not known */
function restoreBody(incoming: FrameworkRequest): void {
  const wasRead = incoming.readableDidRead || incoming.readableEnded;
  if (!wasRead || incoming.rawBody instanceof Buffer) return;
  const { headers, body } = incoming;
  const restored = headers['content-length'] === '0' ? '' : toText(body, headers['content-type'] ?? '');
  if (restored === null) {
    throw new TypeError(
      `The body of ${incoming.method} ${incoming.url?.split('?', 1)[0]} was read before: mount the server before whatever parses bodies.`,
    );
  }
  incoming.rawBody = Buffer.from(restored);
}

/** Returns what a body parser has read; null if it did not keep it. */
function toText(body: unknown, mediaType: string): string | Buffer | null {
  if (body === undefined) return null;
  if (body instanceof Buffer) return body;
  if (jsonType.test(mediaType)) return JSON.stringify(body, keepInfinity);
  if (typeof body === 'string') return body;
  if (!formType.test(mediaType) || !isObject(body)) return null;
  const fields = Object.entries(body).flatMap(([name, value]) => [value].flat().map((each) => [name, String(each)]));
  return new URLSearchParams(fields).toString();
}

/** A number beyond a double stays one, which is refused then; `JSON.stringify` would make it null. */
function keepInfinity(_key: string, value: unknown): unknown {
  if (value !== Infinity && value !== -Infinity) return value;
  return (JSON as typeof JSON & { rawJSON(text: string): unknown }).rawJSON(value < 0 ? '-1e400' : '1e400');
}

// As body parsers compare them: in any letter case.
const jsonType = /^application\/json[\t ]*(;|$)/i;
const formType = /^application\/x-www-form-urlencoded[\t ]*(;|$)/i;
