import type { Slot } from './slot.ts';

/** Finds the one row with a value; rows whose value is null are left out. */
export class UniqueIndex<Row extends object> {
  readonly #valueOf: (row: Row) => string | null;
  readonly #slots = new Map<string, Slot<Row>>();

  constructor(valueOf: (row: Row) => string | null) {
    this.#valueOf = valueOf;
  }

  find(value: string): Row | undefined {
    return this.#slots.get(value)?.row;
  }

  /** Says whether a row that replaces another one has a different value. */
  isMoved(from: Row, to: Row): boolean {
    return this.#valueOf(from) !== this.#valueOf(to);
  }

  add(slot: Slot<Row>): void {
    const value = this.#valueOf(slot.row);
    if (value !== null) this.#slots.set(value, slot);
  }

  /** Removes a slot, unless another one has taken over its value. */
  remove(slot: Slot<Row>): void {
    const value = this.#valueOf(slot.row);
    if (value !== null && this.#slots.get(value) === slot) this.#slots.delete(value);
  }
}
