import type { CounterStore } from '@x/store';
import type { Scope } from './scope.ts';

/** Creates the counter store of a scope. */
export function createCounterStore(scope: Scope): CounterStore {
  return {
    read: async (name) => scope.read(({ counters }) => counters.get(name)?.sum ?? 0),
    add: async (name, amount) =>
      scope.write(({ counters }) => {
        const sum = (counters.get(name)?.sum ?? 0) + amount;
        counters.put({ name, sum });
        return sum;
      }),
  };
}
