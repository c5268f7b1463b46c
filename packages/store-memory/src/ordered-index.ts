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
  readonly #groups = new Map<string, SortedList<Row>>();

  constructor(grouping: Grouping<Row>) {
    this.grouping = grouping;
  }

  /** Visits the rows of a group from the first that `isBefore` is false of. */
  select(group: string, isBefore: (row: Row) => boolean): Iterable<Row> {
    return this.#groups.get(group)?.from(isBefore) ?? [];
  }

  add(row: Row): void {
    const group = this.grouping.groupOf(row);
    if (group === null) return;
    const rows = this.#groups.get(group) ?? new SortedList(this.grouping.compare);
    rows.add(row);
    this.#groups.set(group, rows);
  }

  remove(row: Row): void {
    const group = this.grouping.groupOf(row);
    const rows = group === null ? undefined : this.#groups.get(group);
    if (group === null || !rows) return;
    rows.remove(row);
    if (rows.isEmpty) this.#groups.delete(group);
  }
}
