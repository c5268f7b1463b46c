/** Keeps what was read for pairs of names; what could not be read is read again when it is asked for again. */
export class PromiseMemo<Value> {
  readonly #kept = new Map<string, Map<string, Promise<Value>>>();

  has(first: string, second: string): boolean {
    return this.#kept.get(first)?.has(second) ?? false;
  }

  get(first: string, second: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#kept.get(first)?.get(second);
    if (known) return known;
    const reading = read();
    const group = this.#kept.get(first) ?? new Map<string, Promise<Value>>();
    this.#kept.set(first, group.set(second, reading));
    // Whoever asked hears of the failure; others may be under way that nobody waits for any more.
    reading.catch(() => group.delete(second));
    return reading;
  }
}
