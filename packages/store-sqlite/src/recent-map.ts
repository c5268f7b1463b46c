/** A map that holds so many entries at most; the one that was not asked for the longest gives way. */
export class RecentMap<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxSize: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key, and makes it where there is none. */
  getOrMake(key: Key, make: (key: Key) => Value): Value {
    const value = this.#entries.get(key) ?? make(key);
    // A map remembers the order of insertion: the first entry is the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#maxSize) this.#deleteOldest();
    return value;
  }

  #deleteOldest(): void {
    for (const key of this.#entries.keys()) {
      this.#entries.delete(key);
      return;
    }
  }
}
