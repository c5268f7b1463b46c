/** How long statements may run in one turn of the event loop before the next one waits for another turn. */
const maxTurnMs = 5;

/**
 * How many turns are left to others after one that was spent: the system hands over one connection per turn, so that
 * those who connect would wait for as many long turns as there are connections before theirs.
 */
const restingTurns = 32;

/** What takes less is not counted: its callers alone take more. */
const minCountedMs = 0.5;

/**
 * Spreads statements that take long over turns of the event loop, so that others run between them. Callers who wait are
 * served in turn, however many statements of each are waiting.
 */
export class LoopShare {
  #spentMs = 0;
  #isEnding = false;
  /** The callbacks of waiting statements by caller, in the order of turns. No line is empty. */
  readonly #lines = new Map<string | null, (() => void)[]>();

  /** Whether this turn has no time left. */
  get isSpent(): boolean {
    return this.#spentMs >= maxTurnMs || this.#lines.size > 0;
  }

  /** Counts the time that a statement took. */
  take(milliseconds: number): void {
    if (milliseconds < minCountedMs) return;
    this.#spentMs += milliseconds;
    this.#endTurn();
  }

  /** Waits for a turn of the caller. */
  wait(caller: string | null): Promise<void> {
    return new Promise((resolve) => {
      const line = this.#lines.get(caller);
      if (line) line.push(resolve);
      else this.#lines.set(caller, [resolve]);
      this.#endTurn();
    });
  }

  #endTurn(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => this.#rest(this.#spentMs >= maxTurnMs ? restingTurns : 0));
  }

  #rest(turns: number): void {
    if (turns > 0) {
      setImmediate(() => this.#rest(turns - 1));
      return;
    }
    this.#isEnding = false;
    this.#spentMs = 0;
    this.#beginNext();
    if (this.#lines.size > 0) this.#endTurn();
  }

  /** Begins the statement of the caller whose turn it is; their next turn is the last. */
  #beginNext(): void {
    for (const [caller, line] of this.#lines) {
      const begin = line.shift();
      this.#lines.delete(caller);
      if (line.length > 0) this.#lines.set(caller, line);
      return begin?.();
    }
  }
}
