import type { Caller } from './taking-turns.ts';

/** How long callers are remembered, and how many. */
export interface RecentCallersOptions {
  /** In milliseconds. Default: 10 000. */
  readonly rememberedMs?: number;
  /** Whoever was added the longest ago is forgotten beyond that. Default: 1000. */
  readonly maxCallers?: number;
  /** The time in milliseconds, never set back. Default: that of `performance`. */
  readonly now?: () => number;
}

/** The callers of whom something was noticed a short time ago. */
export class RecentCallers {
  /** When each is forgotten; the next one first. */
  readonly #ends = new Map<Caller, number>();
  readonly #rememberedMs: number;
  readonly #maxCallers: number;
  readonly #now: () => number;

  constructor(options: RecentCallersOptions = {}) {
    this.#rememberedMs = options.rememberedMs ?? 10_000;
    this.#maxCallers = options.maxCallers ?? 1000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Remembers a caller from now on. */
  add(caller: Caller): void {
    this.#ends.delete(caller);
    this.#ends.set(caller, this.#now() + this.#rememberedMs);
    if (this.#ends.size > this.#maxCallers) this.#forgetFirst();
  }

  /** Says whether a caller is remembered. */
  has(caller: Caller): boolean {
    const end = this.#ends.get(caller);
    if (end === undefined) return false;
    if (this.#now() < end) return true;
    this.#ends.delete(caller);
    return false;
  }

  #forgetFirst(): void {
    for (const caller of this.#ends.keys()) {
      this.#ends.delete(caller);
      return;
    }
  }
}
