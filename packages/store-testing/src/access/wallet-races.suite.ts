import type { ConsumeOutcome, Stores, WalletReceipt } from '@x/store';
import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import type { StoreTest } from '../store-test.ts';

const periodStart = new Date('2026-01-01T00:00:00.000Z');

/** How many calls are under way at once: more would wait for a connection for too long. */
const callsAtOnce = 100;

/** Describes what is guaranteed while several processes consume, take back and change plans at once. */
export function describeWalletRaces(it: StoreTest): void {
  describeConsumingRaces(it);
  describeCreditRaces(it);
  describeKeyRaces(it);
  describeSubscriptionRaces(it);
}

function describeConsumingRaces(it: StoreTest): void {
  for (const limits of [['tasks'], ['tasks', 'exports']]) {
    it(`accepts exactly as many concurrent consumptions of ${limits.length} limits as there are left`, async ({
      stores,
      records,
      processes,
      rounds,
    }) => {
      const [calls, max] = rounds > 1 ? [10_000, 1000] : [2000, 200];
      // Half of the calls name the limits the other way around.
      const debits = limits.map((limit) => ({ limit, periodStart, amount: 1, max }));
      const outcomes: ConsumeOutcome[] = [];
      for (let wave = 0; wave < calls / callsAtOnce; wave += 1) {
        const some = await concurrently(processes, times(callsAtOnce), (each, index) =>
          each.wallets.consume({
            tenantId: 'acme',
            receiptId: records.tokenHash(),
            debits: index % 2 === 0 ? debits : debits.toReversed(),
          }),
        );
        outcomes.push(...some);
      }
      const succeeded = outcomes.filter(({ outcome }) => outcome === 'consumed');
      expect(succeeded).toHaveLength(max);
      const counts = succeeded.map(({ consumed }) => consumed[0] ?? 0).toSorted((a, b) => a - b);
      expect(counts).toEqual(times(max).map((index) => index + 1));
      expect(await readAll(stores, limits)).toEqual(limits.map(() => max));
    });
  }

  it('gives each of many equal consumptions its own receipt, which credits what it took', async ({
    stores,
    records,
    processes,
  }) => {
    const outcomes = await concurrently(processes, times(60), (each, index) => {
      const debit = { limit: 'tasks', periodStart, amount: 1 + (index % 3 === 0 ? 1 : 0), max: 50 };
      return each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits: [debit] });
    });
    const taken = outcomes.flatMap((outcome) => (outcome.outcome === 'consumed' ? [outcome] : []));
    const sum = taken.reduce((total, { receipt }) => total + (receipt.entries[0]?.amount ?? 0), 0);
    expect(await readAll(stores, ['tasks'])).toEqual([sum]);
    expect([50, 49]).toContain(sum);
    expect(new Set(taken.map(({ receipt }) => receipt.id)).size).toBe(taken.length);
    expect(new Set(taken.map(({ consumed }) => consumed[0])).size).toBe(taken.length);
    const back = await concurrently(processes, taken, (each, { receipt }) => each.wallets.unconsume(receipt));
    expect([new Set(back), await readAll(stores, ['tasks'])]).toEqual([new Set([true]), [0]]);
  });

  it('counts concurrent consumptions of what is unlimited', async ({ stores, records, processes }) => {
    const debits = [{ limit: 'tasks', periodStart, amount: 3, max: -1 }];
    const outcomes = await concurrently(processes, times(200), (each) =>
      each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits }),
    );
    const counts = outcomes.map(({ consumed }) => consumed[0] ?? 0).toSorted((a, b) => a - b);
    expect(counts).toEqual(times(200).map((index) => 3 * (index + 1)));
    expect(await readAll(stores, ['tasks'])).toEqual([600]);
  });

  it('decides by the one of two limits with less left, and leaves the other as it was', async ({
    stores,
    records,
    processes,
  }) => {
    const outcomes = await concurrently(processes, times(200), (each, index) => {
      const debits = [
        { limit: 'wide', periodStart, amount: 2, max: 100 },
        { limit: 'narrow', periodStart, amount: 1, max: 7 },
      ];
      return each.wallets.consume({
        tenantId: 'acme',
        receiptId: records.tokenHash(),
        debits: index % 2 === 0 ? debits : debits.toReversed(),
      });
    });
    expect(outcomes.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(7);
    expect(await readAll(stores, ['wide', 'narrow'])).toEqual([14, 7]);
    const refusals = outcomes.filter((outcome) => outcome.outcome === 'refused');
    expect(refusals.filter(({ refusedBy }) => refusedBy.join() !== 'narrow')).toEqual([]);
  });

  it('consumes overlapping limits in any order without a deadlock', async ({ stores, records, processes }) => {
    const sets = [['a', 'b', 'c'], ['c', 'a'], ['b', 'a'], ['c', 'b', 'a'], ['b', 'c'], ['a']];
    const outcomes = await concurrently(processes, times(240), (each, index) => {
      const limits = sets[index % sets.length] ?? [];
      const debits = limits.map((limit) => ({ limit, periodStart, amount: 1, max: -1 }));
      return each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    });
    expect(outcomes.filter(({ outcome }) => outcome !== 'consumed')).toEqual([]);
    expect(await readAll(stores, ['a', 'b', 'c'])).toEqual([200, 160, 160]);
  });
}

function describeCreditRaces(it: StoreTest): void {
  it('takes a receipt back by exactly one of 50 concurrent calls', async ({ stores, records, processes }) => {
    const receipts: WalletReceipt[] = [];
    for (const amount of [1, 2]) {
      const debits = ['a', 'b'].map((limit) => ({ limit, periodStart, amount, max: -1 }));
      const outcome = await stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
      if (outcome.outcome === 'consumed') receipts.push(outcome.receipt);
    }
    const credits = await concurrently(processes, times(50), async (each) =>
      receipts[1] ? each.wallets.unconsume(receipts[1]) : false,
    );
    expect(credits.filter(Boolean)).toHaveLength(1);
    expect(await readAll(stores, ['a', 'b'])).toEqual([1, 1]);
  });

  it('leaves what was not taken back after concurrent consumptions and credits', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    const max = 8;
    const debits = ['b', 'a'].map((limit) => ({ limit, periodStart, amount: 1, max }));
    for (let round = 0; round < 2 * rounds; round += 1) {
      const tenantId = `tenant ${round}`;
      const kept = await concurrently(processes, times(80), async (each, index) => {
        const outcome = await each.wallets.consume({ tenantId, receiptId: records.tokenHash(), debits });
        if (outcome.outcome !== 'consumed') return 0;
        expect(Math.max(...outcome.consumed)).toBeLessThanOrEqual(max);
        if (index % 4 === 0) return 1;
        const twice = [each.wallets.unconsume(outcome.receipt), stores.wallets.unconsume(outcome.receipt)];
        expect((await Promise.all(twice)).filter(Boolean)).toHaveLength(1);
        return 0;
      });
      const sum = kept.reduce<number>((total, one) => total + one, 0);
      expect(await readAll(stores, ['a', 'b'], tenantId)).toEqual([sum, sum]);
      expect(sum).toBeLessThanOrEqual(max);
    }
  });

  it('credits nothing below 0 under many concurrent credits', async ({ stores, records, processes }) => {
    const entry = { limit: 'tasks', periodStart, amount: 3 };
    const debits = [{ ...entry, max: -1 }];
    const outcomes = await concurrently(processes, times(120), async (each, index) => {
      if (index % 3 === 0) return each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
      await each.wallets.credit('acme', [entry]);
      return null;
    });
    const [left = -1] = await readAll(stores, ['tasks']);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left % 3).toBe(0);
    const consumed = outcomes.flatMap((outcome) => outcome?.consumed ?? []);
    expect(consumed.filter((count) => count < 3 || count > 120)).toEqual([]);
  });
}

function describeKeyRaces(it: StoreTest): void {
  it('counts one of 60 consumptions with the same key, and gives all its receipt', async ({
    stores,
    records,
    processes,
  }) => {
    for (const limits of [['tasks'], ['tasks', 'exports']]) {
      const debits = limits.map((limit) => ({ limit, periodStart, amount: 1, max: 9 }));
      const idempotencyKey = limits.join();
      const outcomes = await concurrently(processes, times(60), (each) =>
        each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits, idempotencyKey }),
      );
      const [first] = outcomes.filter(({ outcome }) => outcome === 'consumed');
      expect(first).toBeDefined();
      const repeated = outcomes.filter((outcome) => outcome.outcome === 'repeated');
      expect(repeated).toHaveLength(59);
      const receipt = first?.outcome === 'consumed' ? first.receipt : null;
      expect(repeated.filter((outcome) => outcome.receipt.id !== receipt?.id)).toEqual([]);
    }
    expect(await readAll(stores, ['tasks', 'exports'])).toEqual([2, 1]);
  });

  it('counts each of 40 pruned keys in exactly one pruning', async ({ stores, records, processes, clock }) => {
    await concurrently(processes, times(40), (each, index) =>
      each.wallets.consume({
        tenantId: 'acme',
        receiptId: records.tokenHash(),
        debits: [{ limit: 'tasks', periodStart, amount: 1, max: -1 }],
        idempotencyKey: `key ${index}`,
      }),
    );
    clock.advance(1);
    const before = clock.now();
    const pruned = await concurrently(processes, times(8), (each) => each.wallets.prune({ before, limit: 4 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(4);
    const left = await stores.wallets.prune({ before, limit: 100 });
    expect(pruned.reduce((sum, count) => sum + count, left)).toBe(40);
  });
}

function describeSubscriptionRaces(it: StoreTest): void {
  it('keeps the greatest of many concurrent overrides', async ({ stores, processes }) => {
    await concurrently(processes, times(60), (each, index) => {
      const override = { max: index + 1 };
      const overrides = index % 2 === 0 ? { a: override, b: override } : { b: override, a: override };
      return each.subscriptions.updateOverrides('acme', overrides);
    });
    const { overrides } = await stores.subscriptions.read('acme');
    expect(new Map(overrides.map(({ name, max }) => [name, max]))).toEqual(
      new Map([
        ['a', 60],
        ['b', 60],
      ]),
    );
  });

  it('assigns, overrides, attaches and removes concurrently without a deadlock', async ({ stores, processes }) => {
    await concurrently(processes, times(100), async (each, index): Promise<unknown> => {
      if (index % 10 === 9) return each.subscriptions.remove('acme');
      if (index % 3 === 0)
        return each.subscriptions.assign({ tenantId: 'acme', planName: `plan ${index}`, group: 'base' });
      if (index % 3 === 1) return each.subscriptions.attach({ tenantId: 'acme', addOn: 'extra', quantity: index });
      return each.subscriptions.updateOverrides('acme', { c: { max: index }, a: { max: index }, b: { max: index } });
    });
    const { subscriptions, addOns } = await stores.subscriptions.read('acme');
    expect(subscriptions.length).toBeLessThanOrEqual(1);
    expect(addOns.length).toBeLessThanOrEqual(1);
  });
}

async function readAll(stores: Stores, limits: readonly string[], tenantId = 'acme'): Promise<readonly number[]> {
  return stores.wallets.readMany(limits.map((limit) => ({ tenantId, limit, periodStart })));
}
