/**
 * Knows which connections may be dead. A network or a server can disappear without notice; once a connection is lost
 * during a statement, every connection that has not answered since that statement was sent is doubtful.
 */
export class DoubtfulConnections {
  readonly #heardAt = new WeakMap<object, number>();
  #since = -Infinity;

  /** Records that a connection has just answered. */
  clear(connection: object): void {
    this.#heardAt.set(connection, performance.now());
  }

  /** Records that a statement sent at that moment got no answer, or one that ends the connection. */
  add(sentAt: number): void {
    this.#since = Math.max(this.#since, sentAt);
  }

  /** Says whether a connection may be dead like another one. */
  includes(connection: object): boolean {
    return (this.#heardAt.get(connection) ?? Infinity) < this.#since;
  }
}
