import type { Slot } from './slot.ts';
import { SortedList } from './sorted-list.ts';

/** Which rows an index holds together, and in which order. */
export interface Grouping<Row> {
  /** Names the group of a row; null keeps the row out. */
  readonly groupOf: (row: Row) => string | null;
  /** Tells all rows of a group apart. */
  readonly compare: (a: Row, b: Row) => number;
}

/** Visits the rows of one group in order. */
export class OrderedIndex<Row extends object> {
  readonly grouping: Grouping<Row>;
  readonly #groups = new Map<string, SortedList<Slot<Row>>>();

  constructor(grouping: Grouping<Row>) {
    this.grouping = grouping;
  }

  /** Visits the rows of a group from the first that `isBefore` is false of. */
  *select(group: string, isBefore: (row: Row) => boolean): Generator<Row> {
    for (const slot of this.#groups.get(group)?.from(({ row }) => isBefore(row)) ?? []) yield slot.row;
  }

  /** Whether a row that replaces another one belongs elsewhere. */
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
