import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pg from 'pg';
import type { Pooler, PoolerOptions } from './pooler.ts';

/** The options of our own pooler. */
export interface TransactionPoolerOptions extends PoolerOptions {
  /**
   * How the pooler treats a client that starts with settings: it refuses the client, as PgBouncer does; it ignores
   * them; or connections to the server start with those of the first client, so that nothing shows. Default `refuse`.
   */
  readonly settings?: 'refuse' | 'ignore' | 'pass';
}

/**
 * Starts a small pooler in transaction mode, which lets everybody in: a client has a connection to the server from the
 * first statement of a transaction until the server has answered all that it sent, and is ready for another one.
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
  const parameters = parseParameters(startup);
  const pool = poolOf(parameters['database'] ?? '');
  if (!pool.accepts(parameters)) return void client.end(refused);
  client.write(Buffer.concat([authenticated, toMessage('K', toInt32(randomInt(2 ** 31 - 1)), toInt32(0)), ready]));

  let taking: Promise<ServerConnection> | undefined;
  let unanswered = 0;
  const answer = (isOver: boolean): boolean => {
    unanswered -= 1;
    if (!isOver || unanswered > 0) return false;
    taking = undefined;
    return true;
  };
  let request: Buffer[] = [];
  const send = (message: Buffer): void => {
    request.push(message);
    if (!endsRequest.includes(String.fromCharCode(message[0] ?? 0))) return;
    const whole = Buffer.concat(request);
    [request, unanswered] = [[], unanswered + 1];
    // Further requests wait for the same connection, in their order.
    taking ??= pool.take(client, answer);
    taking.then(({ socket }) => socket.write(whole)).catch(() => client.destroy());
  };
  client.on(
    'data',
    eachMessage((message) => (message[0] === terminate ? client.end() : send(message))),
  );
  // A transaction that its client has left can only be rolled back.
  client.on('close', () => void taking?.then(({ socket }) => socket.destroy()).catch(() => undefined));
}

const terminate = 'X'.charCodeAt(0);

/** A simple query, and the end of an extended one: the server answers each by saying that it is ready. */
const endsRequest = 'QS';

/** Calls back with each message of a stream that has come as a whole. */
function eachMessage(onMessage: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const length = rest.length < 5 ? Infinity : 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      onMessage(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

const authenticated = Buffer.concat([
  toMessage('R', toInt32(0)),
  toMessage('S', Buffer.from('client_encoding\0UTF8\0')),
  toMessage('S', Buffer.from('server_version\0' + '15.0\0')),
]);

/** Names and values follow the version, each ended by a zero. */
function parseParameters(startup: Buffer): Readonly<Record<string, string>> {
  const words = startup.toString('utf8', 8).split('\0');
  const pairs = words.flatMap((word, index) => (index % 2 === 0 && word !== '' ? [[word, words[index + 1]]] : []));
  return Object.fromEntries(pairs);
}

const refused = toMessage('E', Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter\0\0'));

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

/** Tells a client that a request is answered, and whether no transaction is open; says whether that was their last. */
type Answer = (isOver: boolean) => boolean;

interface ServerConnection {
  readonly socket: Socket;
  /** Whose transaction it runs. */
  user: { readonly client: Socket; readonly answer: Answer } | undefined;
}

/** The connections to one database, which clients take in turn. */
class ServerConnections {
  readonly #options: TransactionPoolerOptions;
  readonly #database: string;
  readonly #connections = new Set<ServerConnection>();
  readonly #idle: ServerConnection[] = [];
  readonly #waiting: ((connection: ServerConnection) => void)[] = [];
  #opening = 0;
  /** The settings of connections to the server. */
  #settings: pg.ClientConfig | undefined;

  constructor(options: TransactionPoolerOptions, database: string) {
    this.#options = options;
    this.#database = database;
  }

  /** Says whether a client may start with these parameters. */
  accepts({ statement_timeout: statement, lock_timeout: lock }: Readonly<Record<string, string>>): boolean {
    const { settings = 'refuse' } = this.#options;
    if (settings === 'refuse') return statement === undefined && lock === undefined;
    this.#settings ??=
      settings === 'pass' ? { statement_timeout: Number(statement ?? 0), lock_timeout: Number(lock ?? 0) } : {};
    return true;
  }

  async take(client: Socket, answer: Answer): Promise<ServerConnection> {
    const connection = await this.#takeAny();
    connection.user = { client, answer };
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
      const connectionString = Object.assign(new URL(this.#options.server), { pathname: this.#database }).href;
      const client = new pg.Client({ connectionString, ...this.#settings });
      client.on('error', () => undefined);
      await client.connect();
      // It has signed in; from here on, its bytes are those of our clients.
      const socket = client.connection.stream as Socket;
      socket.removeAllListeners('data');
      const connection: ServerConnection = { socket, user: undefined };
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
    const count = eachMessage((message) => {
      if (message[0] !== ready[0]) return;
      if (connection.user?.answer(message.equals(ready)) === true) this.#giveBack(connection);
    });
    socket.on('data', (chunk: Buffer) => {
      connection.user?.client.write(chunk);
      count(chunk);
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
