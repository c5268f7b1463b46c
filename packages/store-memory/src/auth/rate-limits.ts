import { type RateLimitAttempt, type RateLimitResult, type RateLimitStore, storeUnavailable } from '@x/store';
import { type CounterTable, createCounterTable } from '../counters.ts';
import { everyRow } from '../database/indexes.ts';
import type { StepExecutor } from '../database/executor.ts';
import { Table, type TableSchema, take } from '../database/table.ts';
import { compareText } from '../database/values.ts';

/** How many windows a database keeps; while all of them are open, new keys are refused. */
export interface MaxWindows {
  readonly perOperation: number;
  /** Limits the memory however many operations there are. */
  readonly inAll: number;
}

const defaultMaxWindows: MaxWindows = { perOperation: 100_000, inAll: 1_000_000 };

/** Creates the rate-limit store. */
export function createRateLimitStore(executor: StepExecutor<{ readonly rateLimits: RateLimitTable }>): RateLimitStore {
  return {
    check: async (key, maxAttempts, windowMs) =>
      executor.write(({ rateLimits }, now) => check(rateLimits, { key, maxAttempts, windowMs }, now)),
    isFull: async (key, maxAttempts) =>
      executor.read(({ rateLimits }, now) => (findWindow(rateLimits, key, now)?.count ?? 0) >= maxAttempts),
    refund: async (key, maxAttempts, resetsAt) => {
      const end = resetsAt.getTime();
      return executor.write(({ rateLimits }, now) => {
        const window = findWindow(rateLimits, key, now);
        if (window?.resetsAt === end) refund(rateLimits, window, maxAttempts);
      });
    },
    prune: async ({ limit }) =>
      executor.write(({ rateLimits }, now) => deleteEnded(rateLimits, rateLimits.select(), now, limit)),
  };
}

function check(windows: RateLimitTable, { key, maxAttempts, windowMs }: RateLimitAttempt, now: Date): RateLimitResult {
  const window = findWindow(windows, key, now) ?? startWindow(windows, key, now, windowMs);
  return countAttempt(windows, window, maxAttempts);
}

function findWindow(windows: RateLimitTable, key: string, now: Date): RateLimitRow | undefined {
  const window = windows.get(key);
  return window && now.getTime() < window.resetsAt ? window : undefined;
}

function startWindow(windows: RateLimitTable, key: string, now: Date, windowMs: number): RateLimitRow {
  const operation = toOperation(key);
  makeRoom(windows, operation, now);
  return { key, operation, count: 0, resetsAt: now.getTime() + windowMs };
}

/** Returns the operation of a key, the part before its first colon; keys without a colon share the empty name. */
function toOperation(key: string): string {
  return key.slice(0, Math.max(0, key.indexOf(':')));
}

/**
 * Removes up to two expired windows, first of the operation and then of any, so that they disappear faster than new
 * ones arrive. An open window is never removed, because its key would then be allowed more attempts than its limit. If
 * an operation is full, only its own new keys are refused, so a flood on one does not block another.
 */
function makeRoom(windows: RateLimitTable, operation: string, now: Date): void {
  deleteEnded(windows, windows.selectOf(operation), now, 2);
  deleteEnded(windows, windows.select(), now, 2);
  const { perOperation, inAll } = windows.max;
  const isFull = windows.sizeOf(operation) >= perOperation || windows.size >= inAll;
  if (isFull) throw storeUnavailable();
}

function deleteEnded(windows: RateLimitTable, firstToEnd: Iterable<RateLimitRow>, now: Date, limit: number): number {
  const ended = take(firstToEnd, limit).filter(({ resetsAt }) => resetsAt <= now.getTime());
  for (const window of ended) windows.delete(window);
  return ended.length;
}

function countAttempt(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): RateLimitResult {
  const count = Math.min(window.count, maxAttempts) + 1;
  if (count > window.count) windows.put({ ...window, count });
  return {
    allowed: count <= maxAttempts,
    isFirstRefusal: window.count === maxAttempts,
    remaining: Math.max(0, maxAttempts - count),
    resetsAt: new Date(window.resetsAt),
  };
}

/** The attempt above the limit was refused, so it can't be refunded. */
function refund(windows: RateLimitTable, window: RateLimitRow, maxAttempts: number): void {
  windows.put({ ...window, count: Math.max(0, Math.min(window.count, maxAttempts) - 1) });
}

/** The current or last window of one key. */
interface RateLimitRow {
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

  readonly max: MaxWindows;

  constructor(
    max: MaxWindows = defaultMaxWindows,
    windows: Windows = new Table(schema),
    sizes: CounterTable = createCounterTable(),
  ) {
    this.max = max;
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
    return this.#windows.select('byEnd', everyRow);
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
    return new RateLimitTable(this.max, this.#windows.overlay(), this.#sizes.overlay());
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

const compareEnd = (a: RateLimitRow, b: RateLimitRow): number => a.resetsAt - b.resetsAt || compareText(a.key, b.key);

const schema: TableSchema<RateLimitRow, never, 'byEnd' | 'byOperation'> = {
  keyOf: (window) => window.key,
  unique: {},
  ordered: {
    byEnd: { compare: compareEnd },
    byOperation: { groupOf: (window) => window.operation, compare: compareEnd },
  },
};
