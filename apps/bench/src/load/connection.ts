import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, parseAnswer } from './parse-answer.ts';

/** A keep-alive connection to a server of this machine that has one request under way at a time. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #waiting: PromiseWithResolvers<Answer> | null = null;

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
  exchange(request: string): Promise<Answer> {
    const waiting = Promise.withResolvers<Answer>();
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
    const answer = parseAnswer(this.#received);
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
