import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import type { Pooler, PoolerOptions } from './pooler.ts';

/** The options of our own pooler. */
export interface TransactionPoolerOptions extends PoolerOptions {
  /** Whether clients are told the id of a process of the server, as some poolers do. Default: a random number. */
  readonly tellsProcess?: boolean;
}

/**
 * Starts a small pooler in transaction mode, which lets everybody in: a client has a connection to the server from the
 * first byte of a transaction until the server is ready for another one. Meanwhile it passes bytes.
 *
 * @see https://www.postgresql.org/docs/current/protocol-flow.html
 */
export async function startTransactionPooler(options: TransactionPoolerOptions): Promise<Pooler> {
  const pools = new Map<string, ServerConnections>();
  const clients = new Set<Socket>();
  const listener = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.on('error', () => undefined).on('close', () => clients.delete(client));
    void serve(client, (database) => {
      const pool = pools.get(database) ?? new ServerConnections(options, database);
      pools.set(database, pool);
      return pool;
    }).catch(() => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const end = async (): Promise<void> => {
    listener.close();
    for (const client of clients) client.destroy();
    for (const pool of pools.values()) pool.close();
  };
  return { port: (listener.address() as AddressInfo).port, [Symbol.asyncDispose]: end };
}

/** The code that a client sends instead of a version to ask for TLS. */
const tlsRequest = 80_877_103;

/** Greets a client, and from then on serves its transactions. */
async function serve(client: Socket, poolOf: (database: string) => ServerConnections): Promise<void> {
  let [startup] = (await once(client, 'data')) as [Buffer];
  if (startup.readInt32BE(4) === tlsRequest) {
    client.write('N');
    [startup] = (await once(client, 'data')) as [Buffer];
  }
  const parameters = startup.toString('utf8', 8).split('\0');
  const pool = poolOf(parameters[parameters.indexOf('database') + 1] ?? '');
  const processId = await pool.nameProcess();
  client.write(Buffer.concat([authenticated, toMessage('K', toInt32(processId), toInt32(0)), ready]));

  let taking: Promise<ServerConnection> | undefined;
  const release = (): void => void (taking = undefined);
  client.on('data', (chunk) => {
    if (taking === undefined && chunk[0] === terminate) return void client.end();
    // Further chunks wait for the same connection, in their order.
    taking ??= pool.take(client, release);
    taking.then(({ socket }) => socket.write(chunk)).catch(() => client.destroy());
  });
  // A transaction that its client has left can only be rolled back.
  client.on('close', () => void taking?.then(({ socket }) => socket.destroy()).catch(() => undefined));
}

const terminate = 'X'.charCodeAt(0);

const authenticated = Buffer.concat([
  toMessage('R', toInt32(0)),
  toMessage('S', Buffer.from('client_encoding\0UTF8\0')),
  toMessage('S', Buffer.from('server_version\0' + '15.0\0')),
]);

/** The server is ready for a query, and in no transaction. */
const ready = toMessage('Z', Buffer.from('I'));

function toMessage(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), toInt32(body.length + 4), body]);
}

function toInt32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

interface ServerConnection {
  readonly socket: Socket;
  readonly processId: number;
  /** Whose transaction it runs, and what tells them that it has ended. */
  user: { readonly client: Socket; readonly release: () => void } | undefined;
}

/** The connections to one database, which clients take in turn. */
class ServerConnections {
  readonly #options: TransactionPoolerOptions;
  readonly #database: string;
  readonly #connections = new Set<ServerConnection>();
  readonly #idle: ServerConnection[] = [];
  readonly #waiting: ((connection: ServerConnection) => void)[] = [];
  #opening = 0;

  constructor(options: TransactionPoolerOptions, database: string) {
    this.#options = options;
    this.#database = database;
  }

  async nameProcess(): Promise<number> {
    if (!this.#options.tellsProcess) return randomInt(2 ** 31 - 1);
    const connection = await this.#takeAny();
    this.#giveBack(connection);
    return connection.processId;
  }

  async take(client: Socket, release: () => void): Promise<ServerConnection> {
    const connection = await this.#takeAny();
    connection.user = { client, release };
    return connection;
  }

  close(): void {
    for (const { socket } of this.#connections) socket.destroy();
  }

  async #takeAny(): Promise<ServerConnection> {
    const idle = this.#idle.shift();
    if (idle) return idle;
    if (this.#connections.size + this.#opening < this.#options.poolSize) return this.#open();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #giveBack(connection: ServerConnection): void {
    connection.user = undefined;
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#idle.push(connection);
  }

  async #open(): Promise<ServerConnection> {
    this.#opening += 1;
    try {
      const url = Object.assign(new URL(this.#options.server), { pathname: this.#database }).href;
      const client = new pg.Client(url) as pg.Client & { readonly processID: number };
      client.on('error', () => undefined);
      await client.connect();
      // It has signed in; from here on, its bytes are those of our clients.
      const socket = client.connection.stream as Socket;
      socket.removeAllListeners('data');
      const connection: ServerConnection = { socket, processId: client.processID, user: undefined };
      this.#connections.add(connection);
      this.#pass(connection);
      return connection;
    } finally {
      this.#opening -= 1;
    }
  }

  /** Opens a connection for the next who waits, in place of one that was lost. */
  async #replace(): Promise<void> {
    const connection = await this.#open().catch(() => undefined);
    if (connection) this.#giveBack(connection);
  }

  #pass(connection: ServerConnection): void {
    const { socket } = connection;
    let last = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      const { user } = connection;
      user?.client.write(chunk);
      // The message comes last, perhaps in pieces; no text contains its zeros.
      last = Buffer.concat([last, chunk]).subarray(-ready.length);
      if (!last.equals(ready)) return;
      user?.release();
      this.#giveBack(connection);
    });
    socket.on('close', () => {
      connection.user?.client.destroy();
      this.#connections.delete(connection);
      const place = this.#idle.indexOf(connection);
      if (place >= 0) this.#idle.splice(place, 1);
      if (this.#waiting.length > 0) void this.#replace();
    });
  }
}
