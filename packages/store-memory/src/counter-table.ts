import { Table } from './table.ts';

/** One counter that was added to. */
interface CounterRow {
  readonly name: string;
  readonly sum: number;
}

/** Counters, found by name. */
export type CounterTable = Table<CounterRow, never, never>;

/** Creates an empty table of counters. */
export function createCounterTable(): CounterTable {
  return new Table({ keyOf: (counter) => counter.name, unique: {}, ordered: {} });
}
