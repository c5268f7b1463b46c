/** Caches reads, under pairs of names. A read that failed is tried again. */
export class PromiseCache<Value> {
  readonly #entries = new Map<string, Map<string, Entry<Value>>>();

  /** Says whether a value has arrived or is being read. */
  has(first: string, second: string): boolean {
    return this.#entries.get(first)?.has(second) ?? false;
  }

  /** Returns a value that has arrived; undefined if there is none, or it is still being read. */
  loaded(first: string, second: string): Value | undefined {
    const entry = this.#entries.get(first)?.get(second);
    return entry && 'value' in entry ? entry.value : undefined;
  }

  /** Stores a value that was read elsewhere, unless there is one or it is being read. */
  prime(first: string, second: string, value: Value): void {
    if (!this.has(first, second)) this.#groupOf(first).set(second, { value });
  }

  /** Returns the value, read only if it has not been requested before. */
  async load(first: string, second: string, read: () => Promise<Value>): Promise<Value> {
    const entry = this.#entries.get(first)?.get(second);
    if (!entry) return this.#read(first, second, read);
    return 'reading' in entry ? entry.reading : entry.value;
  }

  /** Returns the values of keys in their order; those that have not been requested before are read in one call. */
  async loadEach<Key>(
    keys: readonly Key[],
    toPair: (key: Key) => Pair,
    readEach: (missing: readonly Key[]) => Promise<readonly Value[]>,
  ): Promise<readonly Value[]> {
    const missing = this.findMissing(keys, toPair);
    const reading = missing.length > 0 ? readEach(missing) : [];
    const indexes = new Map(missing.map((key, index) => [key, index]));
    return Promise.all(
      keys.map((key) => this.load(...toPair(key), async () => expectRead((await reading)[indexes.get(key) ?? -1]))),
    );
  }

  /** Lists the keys that have not been requested yet, without duplicates. */
  findMissing<Key>(keys: readonly Key[], toPair: (key: Key) => Pair): readonly Key[] {
    const seen = new Map<string, Set<string>>();
    return keys.filter((key) => {
      const [first, second] = toPair(key);
      const ofFirst = seen.get(first) ?? new Set<string>();
      if (ofFirst.has(second) || this.has(first, second)) return false;
      seen.set(first, ofFirst.add(second));
      return true;
    });
  }

  #read(first: string, second: string, read: () => Promise<Value>): Promise<Value> {
    const group = this.#groupOf(first);
    const reading = read().then(
      (value) => {
        group.set(second, { value });
        return value;
      },
      (error: unknown) => {
        group.delete(second);
        throw error;
      },
    );
    group.set(second, { reading });
    return reading;
  }

  #groupOf(first: string): Map<string, Entry<Value>> {
    const known = this.#entries.get(first);
    if (known) return known;
    const group = new Map<string, Entry<Value>>();
    this.#entries.set(first, group);
    return group;
  }
}

/** The two names under which a value is cached. */
type Pair = readonly [first: string, second: string];

type Entry<Value> = { readonly value: Value } | { readonly reading: Promise<Value> };

function expectRead<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError('The store did not return everything that was requested.');
  return value;
}
