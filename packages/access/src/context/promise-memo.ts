import type { Awaitable } from './when-there.ts';

/**
 * Remembers what was read, under pairs of names: as a plain value once it has arrived, so that nobody awaits it again.
 * After a failure it is read again.
 */
export class PromiseMemo<Value> {
  readonly #kept = new Map<string, Map<string, Kept<Value>>>();

  /** Says whether a value has arrived or is being read. */
  has(first: string, second: string): boolean {
    return this.#kept.get(first)?.has(second) ?? false;
  }

  /** Returns a value that has arrived; undefined if there is none, or it is still being read. */
  peek(first: string, second: string): Value | undefined {
    const kept = this.#kept.get(first)?.get(second);
    return kept && 'value' in kept ? kept.value : undefined;
  }

  /** Stores a value that was read elsewhere, unless there is one or it is being read. */
  keep(first: string, second: string, value: Value): void {
    if (!this.has(first, second)) this.#groupOf(first).set(second, { value });
  }

  /** Returns the value, read only if it has not been requested before. */
  get(first: string, second: string, read: () => Promise<Value>): Awaitable<Value> {
    const kept = this.#kept.get(first)?.get(second);
    if (!kept) return this.#read(first, second, read);
    return 'reading' in kept ? kept.reading : kept.value;
  }

  #read(first: string, second: string, read: () => Promise<Value>): Promise<Value> {
    const keepIn = this.#groupOf(first);
    const reading = read().then(
      (value) => {
        keepIn.set(second, { value });
        return value;
      },
      (error: unknown) => {
        keepIn.delete(second);
        throw error;
      },
    );
    keepIn.set(second, { reading });
    return reading;
  }

  #groupOf(first: string): Map<string, Kept<Value>> {
    const known = this.#kept.get(first);
    if (known) return known;
    const none = new Map<string, Kept<Value>>();
    this.#kept.set(first, none);
    return none;
  }
}

type Kept<Value> = { readonly value: Value } | { readonly reading: Promise<Value> };
