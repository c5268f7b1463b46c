import type { Revocation } from '@x/store';

/** A revocation as a row of the outbox. */
export interface OutboxEntry extends Revocation {
  /** Its number. A transaction may commit a lower number after a higher one. */
  readonly seq: number;
}

/** How long a number may be taken before it is committed, in milliseconds: longer than a transaction may last. */
const lookBackMs = 10_000;

/**
 * Deduplicates revocations, and keeps the cursor of this process in the outbox. The cursor does not wait for a
 * transaction that took a number and has not committed. It passes a number {@link lookBackMs} after that was seen.
 */
export class SeenRevocations {
  /**
   * The entries after the cursor. Their keys are made of their content: a revocation of this process has no number yet,
   * and after a fail-over a number may be taken again.
   */
  readonly #seen = new Map<string, { seq: number; readonly seenAt: number }>();
  /** The number after which entries may be missing; undefined until it is known where to start reading. */
  cursor: number | undefined;

  /** Adds a revocation; returns false if it is a duplicate. */
  add({ seq, sessionId, lowestVer }: OutboxEntry): boolean {
    const now = performance.now();
    this.#advanceCursor(now - lookBackMs);
    const key = `${sessionId} ${lowestVer}`;
    const known = this.#seen.get(key);
    if (known) known.seq = Math.max(known.seq, seq);
    else this.#seen.set(key, { seq, seenAt: now });
    return known === undefined;
  }

  #advanceCursor(before: number): void {
    for (const [key, { seq, seenAt }] of this.#seen) {
      if (seenAt > before) return;
      this.#seen.delete(key);
      this.cursor = Math.max(this.cursor ?? 0, seq);
    }
  }
}
