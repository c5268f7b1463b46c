import type { Slot } from './slot.ts';
import { SortedList } from './sorted-list.ts';

/** Which rows an index groups together, and how it orders them. */
export interface Grouping<Row> {
  /** Returns the group of a row; null leaves the row out. */
  readonly groupOf: (row: Row) => string | null;
  /** Compares rows of a group; 0 only for the same row. */
  readonly compare: (a: Row, b: Row) => number;
}

/** Visits the rows of one group in order. */
export class OrderedIndex<Row extends object> {
  readonly grouping: Grouping<Row>;
  readonly #groups = new Map<string, SortedList<Slot<Row>>>();

  constructor(grouping: Grouping<Row>) {
    this.grouping = grouping;
  }

  /** Visits the rows of a group, starting with the first that `isBefore` is false for. */
  *select(group: string, isBefore: (row: Row) => boolean): Generator<Row> {
    for (const slot of this.#groups.get(group)?.from(({ row }) => isBefore(row)) ?? []) yield slot.row;
  }

  /** Says whether a row that replaces another one belongs in a different place. */
  isMoved(from: Row, to: Row): boolean {
    const { groupOf, compare } = this.grouping;
    return groupOf(from) !== groupOf(to) || compare(from, to) !== 0;
  }

  add(slot: Slot<Row>): void {
    const group = this.grouping.groupOf(slot.row);
    if (group === null) return;
    const slots = this.#groups.get(group);
    if (slots) slots.add(slot);
    else this.#groups.set(group, this.#createGroup(slot));
  }

  remove(slot: Slot<Row>): void {
    const group = this.grouping.groupOf(slot.row);
    const slots = group === null ? undefined : this.#groups.get(group);
    if (group === null || !slots) return;
    slots.remove(slot);
    if (slots.isEmpty) this.#groups.delete(group);
  }

  #createGroup(first: Slot<Row>): SortedList<Slot<Row>> {
    const { compare } = this.grouping;
    const slots = new SortedList<Slot<Row>>((a, b) => compare(a.row, b.row));
    slots.add(first);
    return slots;
  }
}
