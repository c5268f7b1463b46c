import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './free-port.ts';

/** Starts a proxy on 127.0.0.1 that passes every connection on to `target`, until it is made to misbehave. */
export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const proxy = new TcpProxy(target, await findFreePort());
  await proxy.restore();
  return proxy;
}

/** A network that a test can break. A target that refuses a connection shows as a reset one. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #target: { host: string; port: number };
  readonly #server: Server;
  readonly #connections = new Set<Connection>();
  #delayMs = 0;
  #stalled: PromiseWithResolvers<void> | undefined;

  constructor(target: { host: string; port: number }, port: number) {
    this.port = port;
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  /** Refuses new connections and resets the open ones. */
  async cut(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.killConnections();
    await closed;
  }

  /** Undoes `cut` and `stall`; what a stall delayed passes. */
  async restore(): Promise<void> {
    this.#stalled?.resolve();
    this.#stalled = undefined;
    if (this.#server.listening) return;
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Holds back every byte and every close in both directions; new connections are accepted and get nothing. */
  stall(): void {
    this.#stalled ??= Promise.withResolvers();
  }

  /** Passes what arrives from now on `ms` later, in both directions. */
  delay(ms: number): void {
    this.#delayMs = ms;
  }

  /** Resets the open connections, on both sides, and accepts new ones. */
  killConnections(): void {
    for (const { client, upstream } of this.#connections) {
      reset(client);
      reset(upstream);
    }
    this.#connections.clear();
  }

  /** Passes nothing more on the open connections, for good, and without closing either side; new ones are accepted. */
  forgetConnections(): void {
    for (const connection of this.#connections) connection.isForgotten = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }

  #accept(client: Socket): void {
    const upstream = connect({ ...this.#target, allowHalfOpen: true, noDelay: true });
    const connection: Connection = { client, upstream, isForgotten: false };
    this.#connections.add(connection);
    client.once('close', () => this.#connections.delete(connection));
    this.#forward(client, upstream, connection);
    this.#forward(upstream, client, connection);
  }

  #forward(from: Socket, to: Socket, connection: Connection): void {
    let passed: Promise<unknown> = Promise.resolve();
    const passOn = (act: () => void) => {
      // The timers run side by side, so that a delay adds latency and takes no throughput.
      passed = Promise.all([passed, this.#delayMs > 0 && sleep(this.#delayMs)])
        .then(() => this.#stalled?.promise)
        .then(() => to.destroyed || connection.isForgotten || act());
    };
    from.on('data', (chunk) => passOn(() => to.write(chunk)));
    from.on('end', () => passOn(() => to.end()));
    from.on('error', () => passOn(() => reset(to)));
  }
}

/** Node leaks a socket that is reset while it is still opened, or closed in order; neither side notices then. */
function reset(socket: Socket): void {
  if (socket.connecting || socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

interface Connection {
  readonly client: Socket;
  readonly upstream: Socket;
  isForgotten: boolean;
}
