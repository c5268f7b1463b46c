import type { Revocation } from '@x/store';

/** A revocation as the database tells it. */
export interface ToldRevocation extends Revocation {
  /** Its number; one that was taken earlier may be committed later. */
  readonly seq: number;
}

/** How long a number may be taken before it is committed, in milliseconds: longer than a transaction may last. */
const lookBackMs = 10_000;

/**
 * Remembers which revocations were heard of, from which numbers on. Nobody waits for a transaction that took a number
 * and has not committed: numbers are settled, and not looked at again, once a later one was heard of that long ago.
 */
export class HeardRevocations {
  /** When, by what they say: one of this process has no number yet, and after a fail-over it may be that of another one. */
  readonly #heard = new Map<string, { seq: number; readonly heardAt: number }>();
  /** The number after which others may be missing; undefined until it is known from where on to read. */
  settled: number | undefined;

  /** Remembers a revocation, and says whether it is new. */
  add({ seq, sessionId, lowestVer }: ToldRevocation): boolean {
    const now = performance.now();
    this.#settle(now - lookBackMs);
    const key = `${sessionId} ${lowestVer}`;
    const known = this.#heard.get(key);
    if (known) known.seq = Math.max(known.seq, seq);
    else this.#heard.set(key, { seq, heardAt: now });
    return known === undefined;
  }

  #settle(before: number): void {
    for (const [key, { seq, heardAt }] of this.#heard) {
      if (heardAt > before) return;
      this.#heard.delete(key);
      this.settled = Math.max(this.settled ?? 0, seq);
    }
  }
}
