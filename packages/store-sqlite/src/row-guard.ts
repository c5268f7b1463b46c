import { queryTooExpensive } from '@x/store';

/** How long a statement whose conditions contain the guard may run, in milliseconds. */
export const maxStatementMs = 2000;

/**
 * Ends statements after their time. SQLite calls the guard for each row that they visit, and before each text search.
 */
export class RowGuard {
  #limitMs = maxStatementMs;
  /** When the running statement must end, on the clock of `performance`; 0 until its first row. */
  #endsAt = 0;
  /** The CPU time of the thread at the start, in milliseconds. */
  #usedAtBegin = 0;

  /** Must be called before each statement. */
  begin(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#endsAt = 0;
  }

  /**
   * The function that conditions call. Its error ends the statement.
   *
   * @throws CodedError `QUERY_TOO_EXPENSIVE` if the statement has exceeded its limit
   */
  readonly check = (): 1 => {
    const now = performance.now();
    if (this.#endsAt === 0) {
      this.#endsAt = now + this.#limitMs;
      this.#usedAtBegin = usedMs() ?? 0;
    } else if (now > this.#endsAt) {
      this.#extendOrEnd(now);
    }
    return 1;
  };

  /** The time that a thread waits for a core, because the machine is busy, does not count. */
  #extendOrEnd(now: number): void {
    const leftMs = this.#limitMs - ((usedMs() ?? Infinity) - this.#usedAtBegin);
    if (leftMs <= 0) throw queryTooExpensive();
    this.#endsAt = now + leftMs;
  }
}

/** Returns the CPU time of this thread in milliseconds; undefined if the runtime does not measure it. */
function usedMs(): number | undefined {
  const used = process.threadCpuUsage?.();
  return used && (used.user + used.system) / 1000;
}
