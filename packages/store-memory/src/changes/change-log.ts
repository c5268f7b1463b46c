import type { Change, StoredChange } from '@x/store';

/** The feed of changes, or what a transaction adds to it. */
export class ChangeLog {
  readonly #below: ChangeLog | undefined;
  /** The changes that a transaction has appended. */
  readonly #appended: Change[] = [];
  /** The committed changes, from the oldest on; their numbers follow each other. */
  readonly #committed: StoredChange[] = [];
  #last = 0;
  readonly #listeners = new Set<{ readonly call: () => void }>();
  #isTelling = false;

  constructor(below?: ChangeLog) {
    this.#below = below;
  }

  /** The number of the last change. */
  get last(): number {
    return this.#last;
  }

  append(change: Change): void {
    if (this.#below) this.#appended.push(change);
    else this.#commitOne(change);
  }

  /** Reads the changes after a number. */
  read(after: number, limit: number): readonly StoredChange[] {
    const start = Math.max(0, this.#committed.length - (this.#last - after));
    return this.#committed.slice(start, start + limit);
  }

  /** Deletes those of the first changes that were made by then, and returns how many. */
  prune(madeBy: Date, limit: number): number {
    const firstLater = this.#committed.findIndex(({ at }) => at > madeBy);
    const count = Math.min(limit, firstLater < 0 ? this.#committed.length : firstLater);
    this.#committed.splice(0, count);
    return count;
  }

  subscribe(onHint: () => void): () => void {
    const entry = { call: onHint };
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  overlay(): ChangeLog {
    return new ChangeLog(this);
  }

  commit(): void {
    for (const change of this.#appended) this.#below?.append(change);
  }

  #commitOne(change: Change): void {
    this.#last += 1;
    this.#committed.push({ ...change, position: toPosition(this.#last), at: databaseNow() });
    if (!this.#isTelling) queueMicrotask(() => this.#tell());
    this.#isTelling = true;
  }

  /** A commit is synchronous, so it has ended. */
  #tell(): void {
    this.#isTelling = false;
    for (const { call } of this.#listeners) call();
  }
}

/** Reads the clock of the database, which is not that of the stores on it. */
export function databaseNow(): Date {
  // oxlint-disable-next-line house/no-ambient-clock -- other engines ask their server
  return new Date();
}

/** Writes the number of a change as other engines write a position. */
export function toPosition(number: number): string {
  return `0.${number}`;
}
