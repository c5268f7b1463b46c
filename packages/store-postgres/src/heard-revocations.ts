/** A revocation as the database tells it. */
export interface ToldRevocation {
  /** Its number; one that was taken earlier may be committed later. */
  readonly seq: number;
  /** Names the connection of the process that revoked. */
  readonly origin: string;
  readonly sessionId: string;
  readonly lowestVer: number | null;
}

/** How long a number may be taken before it is committed, in milliseconds: longer than a transaction may last. */
const lookBackMs = 10_000;

/**
 * Remembers which revocations were heard of, from which numbers on. Nobody waits for a transaction that took a number
 * and has not committed: numbers are settled, and not looked at again, once a later one was heard of that long ago.
 */
export class HeardRevocations {
  /** By what they say: after a fail-over, a number may be that of another one. */
  readonly #heard = new Map<string, ToldRevocation & { readonly heardAt: number }>();
  #settled: number | undefined;

  /** Whether it is known from where on to read. */
  get isStarted(): boolean {
    return this.#settled !== undefined;
  }

  /** The number after which others may be missing. */
  get settled(): number {
    return this.#settled ?? 0;
  }

  start(settled: number): void {
    this.#settled ??= settled;
  }

  /** Remembers a revocation, and says whether it is new. */
  add(told: ToldRevocation): boolean {
    const now = performance.now();
    this.#settle(now - lookBackMs);
    const key = `${told.seq} ${told.origin} ${told.sessionId}`;
    if (this.#heard.has(key)) return false;
    this.#heard.set(key, { ...told, heardAt: now });
    return true;
  }

  /** Returns those of an origin, as far as they are remembered. */
  of(origin: string): readonly ToldRevocation[] {
    return [...this.#heard.values()].filter((told) => told.origin === origin);
  }

  #settle(before: number): void {
    for (const [key, { seq, heardAt }] of this.#heard) {
      if (heardAt > before) return;
      this.#heard.delete(key);
      this.#settled = Math.max(this.settled, seq);
    }
  }
}
