import { SortedList } from './sorted-list.ts';

/**
 * The place where a table keeps one row. A row is replaced within its slot, so that indexes in which its position stays
 * the same need not be updated.
 */
export interface Slot<Row extends object> {
  row: Row;
}

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

/** The single group of an index that does not group its rows. */
export const everyRow = '';

const inOneGroup = (): string => everyRow;

/** Which rows an index groups together, and how it orders them. */
export interface Grouping<Row> {
  /** Returns the group of a row; null leaves the row out. Default: all rows are in the group {@link everyRow}. */
  readonly groupOf?: (row: Row) => string | null;
  /** Compares rows of a group; 0 only for the same row. */
  readonly compare: (a: Row, b: Row) => number;
}

/** Visits the rows of one group in order. */
export class OrderedIndex<Row extends object> {
  readonly grouping: Grouping<Row>;
  readonly #groupOf: (row: Row) => string | null;
  readonly #groups = new Map<string, SortedList<Slot<Row>>>();

  constructor(grouping: Grouping<Row>) {
    this.grouping = grouping;
    this.#groupOf = grouping.groupOf ?? inOneGroup;
  }

  /** Visits the rows of a group, starting with the first that `isBefore` is false for. */
  *select(group: string, isBefore: (row: Row) => boolean): Generator<Row> {
    for (const slot of this.#groups.get(group)?.from(({ row }) => isBefore(row)) ?? []) yield slot.row;
  }

  /** Says whether a row that replaces another one belongs in a different place. */
  isMoved(from: Row, to: Row): boolean {
    return this.#groupOf(from) !== this.#groupOf(to) || this.grouping.compare(from, to) !== 0;
  }

  add(slot: Slot<Row>): void {
    const group = this.#groupOf(slot.row);
    if (group === null) return;
    const slots = this.#groups.get(group);
    if (slots) slots.add(slot);
    else this.#groups.set(group, this.#createGroup(slot));
  }

  remove(slot: Slot<Row>): void {
    const group = this.#groupOf(slot.row);
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
