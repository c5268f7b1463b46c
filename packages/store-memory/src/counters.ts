import type { CounterStore } from '@x/store';
import type { StepExecutor } from './database/executor.ts';
import { Table } from './database/table.ts';

/** Creates the counter store. */
export function createCounterStore(executor: StepExecutor<{ readonly counters: CounterTable }>): CounterStore {
  return {
    read: async (name) => executor.read(({ counters }) => counters.get(name)?.sum ?? 0),
    add: async (name, amount) =>
      executor.write(({ counters }) => {
        const sum = (counters.get(name)?.sum ?? 0) + amount;
        counters.put({ name, sum });
        return sum;
      }),
  };
}

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
