import type { TransactionStores } from '@x/store';
import { ManualClock } from '@x/store-testing/clock';
import { afterAll, expect, onTestFinished, it } from 'vitest';
import { createPostgresEngine, dropDatabases } from './testing/postgres-engine.ts';

afterAll(dropDatabases);

type Work = (inside: TransactionStores) => Promise<void>;

/**
 * Two transactions that add to two counters in opposite orders, each to the second once both have added to their first.
 */
function createCrossing(): { readonly works: readonly [Work, Work]; readonly runs: () => number } {
  const met = Promise.withResolvers<void>();
  let runs = 0;
  const toWork =
    (first: string, second: string): Work =>
    async ({ counters }) => {
      await counters.add(first, 1);
      runs += 1;
      if (runs === 2) met.resolve();
      await met.promise;
      await counters.add(second, 1);
    };
  return { works: [toWork('a', 'b'), toWork('b', 'a')], runs: () => runs };
}

it.for([true, false])(
  'runs one of two deadlocked transactions again only if it is retryable: %s',
  async (retryable) => {
    const database = await createPostgresEngine().createDatabase();
    onTestFinished(() => database.drop());
    const [stores, other] = [await database.open(new ManualClock()), await database.open(new ManualClock())];
    const { works, runs } = createCrossing();
    const [first, second] = works;
    const outcomes = await Promise.allSettled([
      stores.transaction(first, { retryable }),
      other.transaction(second, { retryable }),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    const unavailable = expect.objectContaining({ reason: expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }) });
    expect(refused).toEqual(retryable ? [] : [unavailable]);
    expect(runs()).toBe(retryable ? 3 : 2);
    const added = retryable ? 2 : 1;
    expect([await stores.counters.read('a'), await stores.counters.read('b')]).toEqual([added, added]);
  },
);
