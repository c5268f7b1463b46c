/**
 * Tells which connections to doubt. A network or a server that goes away may say so to nobody; once one connection was
 * lost under a statement, all are doubtful that have answered nothing since that was sent.
 */
export class DoubtfulConnections {
  readonly #heardAt = new WeakMap<object, number>();
  #since = -Infinity;

  /** A connection answered just now. */
  clear(connection: object): void {
    this.#heardAt.set(connection, performance.now());
  }

  /** What was sent at that moment had no answer, or one that ends a connection. */
  add(sentAt: number): void {
    this.#since = Math.max(this.#since, sentAt);
  }

  /** Says whether a connection may be lost like another one. */
  includes(connection: object): boolean {
    return (this.#heardAt.get(connection) ?? Infinity) < this.#since;
  }
}
