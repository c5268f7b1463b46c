import { everyRow, type Grouping, OrderedIndex, type Slot, UniqueIndex } from './indexes.ts';

/** The part of a table that a step needs to find a row. */
export interface Lookup<Row> {
  get(key: string): Row | undefined;
}

/** The keys and indexes of a table. */
export interface TableSchema<Row, Unique extends string, Ordered extends string> {
  readonly keyOf: (row: Row) => string;
  /** Values by which a single row is found; null leaves the row out. */
  readonly unique: Readonly<Record<Unique, (row: Row) => string | null>>;
  /** Groups whose rows are visited in order. */
  readonly ordered: Readonly<Record<Ordered, Grouping<Row>>>;
  /**
   * Set if rows are deleted with their user, as by `ON DELETE CASCADE`: the index that groups them by user, or `key` if
   * their key is the user. Default: they are kept.
   */
  readonly owner?: NoInfer<Ordered> | 'key';
}

/**
 * Rows with their indexes. A row is never changed, only replaced by another with the same key.
 *
 * A table created by {@link overlay} reads through to the table below and keeps its own changes until {@link commit};
 * the table below must not change before that.
 */
export class Table<Row extends object, Unique extends string, Ordered extends string> {
  readonly #schema: TableSchema<Row, Unique, Ordered>;
  readonly #below: Table<Row, Unique, Ordered> | undefined;
  readonly #slots = new Map<string, Slot<Row>>();
  /** Keys of rows of the table below that are deleted here. */
  readonly #deleted = new Set<string>();
  readonly #unique: ReadonlyMap<string, UniqueIndex<Row>>;
  readonly #ordered: ReadonlyMap<string, OrderedIndex<Row>>;
  readonly #indexes: readonly (UniqueIndex<Row> | OrderedIndex<Row>)[];
  #size: number;
  #observe: ((before: Row | null, after: Row | null) => void) | undefined;

  constructor(schema: TableSchema<Row, Unique, Ordered>, below?: Table<Row, Unique, Ordered>) {
    const unique = Object.entries<(row: Row) => string | null>(schema.unique);
    const ordered = Object.entries<Grouping<Row>>(schema.ordered);
    this.#schema = schema;
    this.#below = below;
    this.#size = below?.size ?? 0;
    this.#unique = new Map(unique.map(([name, valueOf]) => [name, new UniqueIndex(valueOf)]));
    this.#ordered = new Map(ordered.map(([name, grouping]) => [name, new OrderedIndex(grouping)]));
    this.#indexes = [...this.#unique.values(), ...this.#ordered.values()];
  }

  get size(): number {
    return this.#size;
  }

  /** Calls a function with each row that changes from now on, at once. For a table with nothing below it. */
  observe(onChange: (before: Row | null, after: Row | null) => void): void {
    this.#observe = onChange;
  }

  get(key: string): Row | undefined {
    const own = this.#slots.get(key);
    if (own) return own.row;
    return this.#deleted.has(key) ? undefined : this.#below?.get(key);
  }

  /** Finds the row with a value in a unique index. */
  find(index: Unique, value: string): Row | undefined {
    const own = this.#unique.get(index)?.find(value);
    if (own) return own;
    const below = this.#below?.find(index, value);
    return below && !this.#hides(this.#schema.keyOf(below)) ? below : undefined;
  }

  /**
   * Visits a group of an ordered index, from the first row that `isBefore` is false for, or from the start. The table
   * must not be changed meanwhile.
   */
  select(index: Ordered, group: string, isBefore: (row: Row) => boolean = () => false): Iterable<Row> {
    const ordered = this.#ordered.get(index);
    const own = ordered?.select(group, isBefore) ?? [];
    if (!this.#below || !ordered) return own;
    return mergeSorted(own, this.#shown(this.#below.select(index, group, isBefore)), ordered.grouping.compare);
  }

  /**
   * Stores a row with a new key.
   *
   * @throws TypeError if the key exists: keys are random, so this is a programming error
   */
  insert(row: Row): void {
    if (this.get(this.#schema.keyOf(row))) throw new TypeError('A row with this key exists already.');
    this.put(row);
  }

  /** Stores a row, replacing the one with the same key. */
  put(row: Row): void {
    const key = this.#schema.keyOf(row);
    const slot = this.#slots.get(key);
    this.#observe?.(slot?.row ?? null, row);
    if (slot) this.#replace(slot, row);
    else this.#add(key, { row });
  }

  delete(key: string): void {
    if (!this.get(key)) return;
    const own = this.#slots.get(key);
    if (own) this.#observe?.(own.row, null);
    if (own) for (const index of this.#indexes) index.remove(own);
    this.#slots.delete(key);
    if (this.#below?.get(key)) this.#deleted.add(key);
    this.#size -= 1;
  }

  /** Deletes those of the first `limit` rows of a group of an index that are over, and returns how many. */
  prune(index: Ordered, limit: number, isOver: (row: Row) => boolean, group: string = everyRow): number {
    const over = take(this.select(index, group), limit).filter(isOver);
    for (const row of over) this.delete(this.#schema.keyOf(row));
    return over.length;
  }

  /** Deletes the rows that the schema says are deleted with their user. */
  deleteOwned(userId: string): void {
    const { owner, keyOf } = this.#schema;
    if (owner === undefined) return;
    const keys = owner === 'key' ? [userId] : Array.from(this.select(owner, userId), keyOf);
    for (const key of keys) this.delete(key);
  }

  /** Creates a table on top of this one. */
  overlay(): Table<Row, Unique, Ordered> {
    return new Table(this.#schema, this);
  }

  /** Applies the changes to the table below. This table must not be used any more. */
  commit(): void {
    for (const key of this.#deleted) this.#below?.delete(key);
    for (const { row } of this.#slots.values()) this.#below?.put(row);
  }

  #add(key: string, slot: Slot<Row>): void {
    if (!this.get(key)) this.#size += 1;
    this.#deleted.delete(key);
    this.#slots.set(key, slot);
    for (const index of this.#indexes) index.add(slot);
  }

  #replace(slot: Slot<Row>, row: Row): void {
    const moved = this.#indexes.filter((index) => index.isMoved(slot.row, row));
    for (const index of moved) index.remove(slot);
    slot.row = row;
    for (const index of moved) index.add(slot);
  }

  #hides(key: string): boolean {
    return this.#slots.has(key) || this.#deleted.has(key);
  }

  *#shown(rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) if (!this.#hides(this.#schema.keyOf(row))) yield row;
  }
}

/** Visits the items of two sorted sequences in one order. */
function* mergeSorted<Item>(
  first: Iterable<Item>,
  second: Iterable<Item>,
  compare: (a: Item, b: Item) => number,
): Generator<Item> {
  const others = second[Symbol.iterator]();
  let other = others.next();
  for (const item of first) {
    for (; !other.done && compare(other.value, item) < 0; other = others.next()) yield other.value;
    yield item;
  }
  for (; !other.done; other = others.next()) yield other.value;
}

/** Returns at most `count` items from the start of a sequence. */
export function take<Item>(items: Iterable<Item>, count: number): readonly Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length >= count) break;
    taken.push(item);
  }
  return taken;
}
