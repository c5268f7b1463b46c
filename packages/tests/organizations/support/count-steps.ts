import type { Stores, TransactionStores } from '@x/store';

/** Stores whose transactions are counted, and their steps. */
interface CountedStores {
  readonly stores: Stores;
  /** The transactions that have begun, without inner ones. */
  readonly transactions: { readonly count: number };
  /** The steps of the transaction that had the most since this was last set to zero. */
  readonly longest: { steps: number };
}

/** Wraps stores so that the calls of each transaction are counted. */
export function countSteps(stores: Stores): CountedStores {
  const transactions = { count: 0 };
  const longest = { steps: 0 };
  const transaction: Stores['transaction'] = (work, options) => {
    transactions.count += 1;
    return stores.transaction(async (inside) => {
      const counter = { steps: 0 };
      try {
        return await work(countInside(inside, counter));
      } finally {
        longest.steps = Math.max(longest.steps, counter.steps);
      }
    }, options);
  };
  return { stores: { ...stores, transaction }, transactions, longest };
}

function countInside(inside: TransactionStores, counter: { steps: number }): TransactionStores {
  const counted = Object.entries(inside).map(([name, store]) => [name, countCalls(store, counter)]);
  const transaction: TransactionStores['transaction'] = (work, options) =>
    inside.transaction((deeper) => work(countInside(deeper, counter)), options);
  return { ...inside, ...Object.fromEntries(counted), transaction };
}

/** Counts the calls of a function, or of the methods of a store. */
function countCalls(counted: unknown, counter: { steps: number }): unknown {
  if (typeof counted === 'function') {
    return (...given: unknown[]) => {
      counter.steps += 1;
      return counted(...given);
    };
  }
  if (typeof counted !== 'object' || counted === null) return counted;
  return Object.fromEntries(Object.entries(counted).map(([name, member]) => [name, countCalls(member, counter)]));
}
