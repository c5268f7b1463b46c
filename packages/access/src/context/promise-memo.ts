import type { Awaitable } from './when-there.ts';

/**
 * Keeps what was read for pairs of names: the value once it is there, so that nobody waits for it again. What could not
 * be read is read again when it is asked for again.
 */
export class PromiseMemo<Value> {
  readonly #kept = new Map<string, Map<string, Kept<Value>>>();

  /** Says whether something is there or on its way. */
  has(first: string, second: string): boolean {
    return this.#kept.get(first)?.has(second) ?? false;
  }

  /** Returns what is there; undefined where nothing is, or where it is still on its way. */
  peek(first: string, second: string): Value | undefined {
    const kept = this.#kept.get(first)?.get(second);
    return kept && 'value' in kept ? kept.value : undefined;
  }

  /** Keeps what was read by somebody else, unless something is there or on its way. */
  keep(first: string, second: string, value: Value): void {
    if (!this.has(first, second)) this.#groupOf(first).set(second, { value });
  }

  /** Returns what is there or on its way, or reads it. */
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
