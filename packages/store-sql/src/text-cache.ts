/** How a cache of texts is bounded. */
interface TextCacheOptions<Value> {
  /** How long all texts together may be. */
  readonly maxLength: number;
  /** Called with what is dropped for being least recently used. */
  readonly onDrop?: (value: Value, text: string) => void;
}

/**
 * Caches what belongs to the texts of statements, such as a prepared statement, whose size follows that of its text. It
 * is bounded by the length of all texts, since clients choose conditions and columns, and so how many texts there are.
 */
export class TextCache<Value> {
  readonly #options: TextCacheOptions<Value>;
  readonly #entries = new Map<string, Value>();
  #length = 0;

  constructor(options: TextCacheOptions<Value>) {
    this.#options = options;
  }

  /** Returns the value of a text, creating it if there is none. A text that alone is too long is not kept. */
  get(text: string, create: (text: string) => Value): Value {
    const known = this.#entries.get(text);
    if (known !== undefined) {
      // A map keeps insertion order: the first entry is the oldest.
      this.#entries.delete(text);
      this.#entries.set(text, known);
      return known;
    }
    const value = create(text);
    this.#entries.set(text, value);
    this.#length += text.length;
    this.#dropOldest();
    return value;
  }

  #dropOldest(): void {
    for (const [text, value] of this.#entries) {
      if (this.#length <= this.#options.maxLength) return;
      this.#entries.delete(text);
      this.#length -= text.length;
      this.#options.onDrop?.(value, text);
    }
  }
}
