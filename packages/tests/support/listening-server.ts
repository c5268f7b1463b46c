import { renderJson } from '@x/http';
import type { InFlight, Server } from '@x/server';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ListenBounds, listenWithin } from '../../server/src/listen/listen.ts';
import { createTestServer, type TestServerOptions } from './test-server.ts';
import { encodeRequest } from './wire.ts';

export const mebibyte: number = 1024 * 1024;

/** The bounds of a server in production. */
const bounds: ListenBounds = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
  stallMs: 10_000,
};

/** A listening server with large pages and slow routes. */
export interface ListeningServer {
  readonly port: number;
  /** The names of the requests that were started, in order. */
  readonly started: string[];
  readonly server: Server;
  readonly inFlight: () => InFlight;
  readonly stop: (graceMs: number) => Promise<void>;
  /** Lets `/held` respond, and `/stream` continue after its first word. */
  readonly release: () => void;
}

export async function startListening(
  changes: Partial<ListenBounds> = {},
  options: TestServerOptions = {},
): Promise<ListeningServer> {
  const { server } = await createTestServer(options);
  const started: string[] = [];
  const held = Promise.withResolvers<void>();
  const page = 'x'.repeat(mebibyte);
  server.app.get('/page/:name', (c) => {
    started.push(c.req.param('name'));
    return renderJson(c, { page });
  });
  server.app.get('/small/:name', (c) => {
    started.push(c.req.param('name'));
    return renderJson(c, { name: c.req.param('name') });
  });
  server.app.get('/later/:name', async (c) => {
    started.push(c.req.param('name'));
    await new Promise((resolve) => setImmediate(resolve));
    return renderJson(c, { name: c.req.param('name') });
  });
  server.app.get('/stream', (c) => c.body(createStream(held.promise)));
  server.app.on(['GET', 'POST'], ['/held'], async (c) => {
    await held.promise;
    return renderJson(c, { name: 'held' });
  });
  const listener = await listenWithin({ ...bounds, ...changes }, server, { port: 0 });
  onTestFinished(() => listener.stop(0));
  onTestFinished(() => held.resolve());
  return {
    port: listener.port,
    started,
    server,
    inFlight: () => server.admission.inFlight(),
    stop: (graceMs) => listener.stop(graceMs),
    release: held.resolve,
  };
}

function createStream(released: Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode('first '));
      await released;
      controller.enqueue(new TextEncoder().encode('last'));
      controller.close();
    },
  });
}

/** Opens a connection that is paused, and reads nothing until it is resumed. */
export function open(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket.pause();
}

export const get = (path: string): string => encodeRequest(`GET ${path}`, { headers: { Connection: null } });
export const getLast = (path: string): string => encodeRequest(`GET ${path}`);
