/** How long statements may run in one turn of the event loop before the next one waits for another turn. */
const maxTurnMs = 10;

/** What takes less is not counted: its callers alone take more. */
const minCountedMs = 0.5;

/** Spreads statements that take long over turns of the event loop, so that others run between them. */
export class LoopShare {
  #spentMs = 0;
  #isEnding = false;
  readonly #waiting: (() => void)[] = [];

  /** Whether this turn has no time left. */
  get isSpent(): boolean {
    return this.#spentMs >= maxTurnMs || this.#waiting.length > 0;
  }

  /** Counts the time that a statement took. */
  take(milliseconds: number): void {
    if (milliseconds < minCountedMs) return;
    this.#spentMs += milliseconds;
    this.#endTurn();
  }

  /** Waits for a turn after those of everybody who waits already. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#endTurn();
    });
  }

  #endTurn(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#spentMs = 0;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#endTurn();
    });
  }
}
