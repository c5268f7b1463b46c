/** How long a statement whose conditions contain the guard may run, in milliseconds. */
export const maxStatementMs = 2000;

/** Ends statements by their time: SQLite calls the guard for each row that they visit, and before each search of a text. */
export class RowGuard {
  #limitMs = maxStatementMs;
  /** When the running statement began and ends, on the clock of `performance`; 0 until its first row. */
  #beganAt = 0;
  #endsAt = 0;

  /** Is called before each statement. */
  begin(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#beganAt = 0;
  }

  /** How long the statement has been visiting rows. */
  get elapsedMs(): number {
    return this.#beganAt === 0 ? 0 : performance.now() - this.#beganAt;
  }

  /**
   * The function that the conditions call. What it throws ends the statement.
   *
   * @throws StatementTimeout if the statement has run for longer than it may
   */
  readonly check = (): 1 => {
    const now = performance.now();
    if (this.#beganAt === 0) {
      this.#beganAt = now;
      this.#endsAt = now + this.#limitMs;
    } else if (now > this.#endsAt) {
      throw new StatementTimeout('The statement has run for longer than it may.');
    }
    return 1;
  };
}

/** Represents the end of a statement by the guard. */
export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout';
}
