/** A cache with a maximum size, which drops the least recently used entry. */
export class LruCache<Key, Value> {
  readonly #entries = new Map<Key, Value>();
  readonly #maxSize: number;

  constructor(maxSize: number) {
    this.#maxSize = maxSize;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key, creating it if there is none. */
  get(key: Key, create: (key: Key) => Value): Value {
    const value = this.#entries.get(key) ?? create(key);
    // A map keeps insertion order: the first entry is the oldest.
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
