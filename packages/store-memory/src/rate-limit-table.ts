import { compareText } from './compare-text.ts';
import { createCounterTable, type CounterTable } from './counter-table.ts';
import { Table, type TableSchema } from './table.ts';

/** The current or last window of one key. */
export interface RateLimitRow {
  readonly key: string;
  /** The operation that the key belongs to. */
  readonly operation: string;
  /** The number of attempts, up to one above the allowed number. */
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly resetsAt: number;
}

type Windows = Table<RateLimitRow, never, 'byEnd' | 'byOperation'>;

/** Windows, indexed by key, ordered by their end (all of them, and by operation), and counted likewise. */
export class RateLimitTable {
  readonly #windows: Windows;
  /** The number of windows of each operation; a table, so that an overlay rolls it back and commits it with them. */
  readonly #sizes: CounterTable;

  constructor(windows: Windows = new Table(schema), sizes: CounterTable = createCounterTable()) {
    this.#windows = windows;
    this.#sizes = sizes;
  }

  get size(): number {
    return this.#windows.size;
  }

  sizeOf(operation: string): number {
    return this.#sizes.get(operation)?.sum ?? 0;
  }

  get(key: string): RateLimitRow | undefined {
    return this.#windows.get(key);
  }

  select(): Iterable<RateLimitRow> {
    return this.#windows.select('byEnd', everyWindow);
  }

  selectOf(operation: string): Iterable<RateLimitRow> {
    return this.#windows.select('byOperation', operation);
  }

  /** Stores a window, replacing the one with the same key. */
  put(window: RateLimitRow): void {
    if (!this.#windows.get(window.key)) this.#resize(window.operation, 1);
    this.#windows.put(window);
  }

  delete({ key, operation }: RateLimitRow): void {
    if (this.#windows.get(key)) this.#resize(operation, -1);
    this.#windows.delete(key);
  }

  /** Creates a table on top of this one. */
  overlay(): RateLimitTable {
    return new RateLimitTable(this.#windows.overlay(), this.#sizes.overlay());
  }

  /** Applies the changes to the table below. This table must not be used any more. */
  commit(): void {
    this.#windows.commit();
    this.#sizes.commit();
  }

  #resize(operation: string, by: number): void {
    const sum = this.sizeOf(operation) + by;
    if (sum > 0) this.#sizes.put({ name: operation, sum });
    else this.#sizes.delete(operation);
  }
}

/** The single group of the index by end. */
const everyWindow = '';

const compareEnd = (a: RateLimitRow, b: RateLimitRow): number => a.resetsAt - b.resetsAt || compareText(a.key, b.key);

const schema: TableSchema<RateLimitRow, never, 'byEnd' | 'byOperation'> = {
  keyOf: (window) => window.key,
  unique: {},
  ordered: {
    byEnd: { groupOf: () => everyWindow, compare: compareEnd },
    byOperation: { groupOf: (window) => window.operation, compare: compareEnd },
  },
};
