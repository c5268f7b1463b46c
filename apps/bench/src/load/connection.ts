import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A keep-alive connection to a server of this machine that has one request under way at a time. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #waiting: PromiseWithResolvers<ServerResponse> | null = null;

  /** Connects to a port of this machine. */
  static async open(port: number): Promise<Connection> {
    const connection = new Connection(port);
    await once(connection.#socket, 'connect');
    return connection;
  }

  private constructor(port: number) {
    // One buffer for all answers spares an allocation per answer.
    const buffer = Buffer.allocUnsafe(64 * 1024);
    const callback = (length: number): boolean => {
      this.#receive(buffer.toString('latin1', 0, length));
      return true;
    };
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('connection closed')));
  }

  /** Sends the text of a request, all of it Latin-1, and waits for the answer. */
  exchange(request: string): Promise<ServerResponse> {
    const waiting = Promise.withResolvers<ServerResponse>();
    this.#waiting = waiting;
    if (this.#socket.destroyed) this.#fail(new Error('connection closed'));
    else this.#socket.write(request, 'latin1');
    return waiting.promise;
  }

  /** Cuts the connection; an exchange under way fails. */
  close(): void {
    this.#socket.destroy();
  }

  #receive(text: string): void {
    this.#received = this.#received === '' ? text : this.#received + text;
    const answer = parseResponse(this.#received);
    if (answer === null) return;
    this.#received = '';
    this.#waiting?.resolve(answer);
    this.#waiting = null;
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = null;
  }
}

/**
 * Sends one request on a connection of its own.
 *
 * @throws Error where the answer's status is none of 200 and 201
 */
export async function exchangeOnce(port: number, request: string): Promise<ServerResponse> {
  const connection = await Connection.open(port);
  try {
    const answer = await connection.exchange(request);
    if (answer.status === 200 || answer.status === 201) return answer;
    throw new Error(`${request.slice(0, request.indexOf('\r\n'))}: ${answer.status} ${answer.body}`);
  } finally {
    connection.close();
  }
}

/** One HTTP answer, as far as the bench looks at it. */
export interface ServerResponse {
  readonly status: number;
  /** The status line and the headers. */
  readonly head: string;
  readonly body: string;
}

/**
 * Parses what a connection has sent so far; null while the answer is not complete. The bench never pipelines, so
 * all of the text belongs to one answer.
 */
function parseResponse(received: string): ServerResponse | null {
  const headLength = received.indexOf('\r\n\r\n');
  if (headLength === -1) return null;
  const head = received.slice(0, headLength);
  const body = received.slice(headLength + 4);
  if (!isComplete(head, body)) return null;
  return { status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)), head, body };
}

const contentLength = /\r\ncontent-length: (\d+)/i;
const chunked = /\r\ntransfer-encoding: chunked/i;

function isComplete(head: string, body: string): boolean {
  const length = contentLength.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length);
  return !chunked.test(head) || /(?:^|\r\n)0\r\n\r\n$/.test(body);
}
