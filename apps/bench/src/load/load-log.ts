/** What came of a load. */
export interface LoadResult {
  readonly seconds: number;
  /** How long each good answer took in milliseconds, ascending. */
  readonly latenciesMs: readonly number[];
  /** How often each failure was seen: an error, or a status other than 200. */
  readonly failures: Readonly<Record<string, number>>;
}

/** Collects what happens under a load. */
export class LoadLog {
  readonly #latenciesMs: number[] = [];
  readonly #failures: Record<string, number> = {};

  addLatency(milliseconds: number): void {
    this.#latenciesMs.push(milliseconds);
  }

  addFailure(kind: string): void {
    this.#failures[kind] = (this.#failures[kind] ?? 0) + 1;
  }

  result(seconds: number): LoadResult {
    const latenciesMs = Array.from(Float64Array.from(this.#latenciesMs).sort());
    return { seconds, latenciesMs, failures: this.#failures };
  }
}
