import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';
import { NaiveWallet } from './naive-wallet.ts';
import { describeWalletCredits } from './wallet-credits.suite.ts';
import { describeWalletKeys } from './wallet-keys.suite.ts';

/** Describes what every wallet store does. */
export function describeWallets(it: StoreTest): void {
  describe('wallets', () => {
    describeConsumption(it);
    describeSeveralLimits(it);
    describeNumbers(it);
    describeWalletCredits(it);
    describeWalletKeys(it);
    describeModel(it);
  });
}

const periodStart = new Date('2026-01-01T00:00:00.000Z');

const nextPeriod = new Date('2026-02-01T00:00:00.000Z');

function describeConsumption(it: StoreTest): void {
  it('consume a limit up to its maximum and no further', async ({ stores, processes, records }) => {
    const debit = { limit: 'tasks', periodStart, amount: 1, max: 3 };
    for (const consumed of [1, 2, 3]) {
      const receiptId = records.tokenHash();
      expect(await stores.wallets.consume({ tenantId: 'acme', receiptId, debits: [debit] })).toEqual({
        outcome: 'consumed',
        receipt: { id: receiptId, tenantId: 'acme', entries: [{ limit: 'tasks', periodStart, amount: 1 }] },
        consumed: [consumed],
      });
    }
    for (const each of [stores, ...processes]) {
      const consuming = each.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits: [debit] });
      expect(await consuming).toEqual({ outcome: 'refused', refusedBy: ['tasks'], consumed: [3] });
    }
    expect(await stores.wallets.readMany([{ tenantId: 'acme', limit: 'tasks', periodStart }])).toEqual([3]);
  });

  it('consume an amount as a whole or not at all', async ({ stores, records }) => {
    const consume = async (amount: number): Promise<unknown> => {
      const debits = [{ limit: 'tasks', periodStart, amount, max: 10 }];
      const { outcome, consumed } = await stores.wallets.consume({
        tenantId: 'acme',
        receiptId: records.tokenHash(),
        debits,
      });
      return [outcome, ...consumed];
    };
    expect(await consume(11)).toEqual(['refused', 0]);
    expect(await consume(7)).toEqual(['consumed', 7]);
    expect(await consume(4)).toEqual(['refused', 7]);
    expect(await consume(3)).toEqual(['consumed', 10]);
    expect(await consume(1)).toEqual(['refused', 10]);
  });

  it('allow nothing for a maximum of 0, and nothing more for one that was lowered', async ({ stores, records }) => {
    const consume = async (max: number): Promise<unknown> => {
      const debits = [{ limit: 'tasks', periodStart, amount: 2, max }];
      return stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    };
    expect(await consume(0)).toEqual({ outcome: 'refused', refusedBy: ['tasks'], consumed: [0] });
    expect(await consume(10)).toMatchObject({ consumed: [2] });
    expect(await consume(3)).toEqual({ outcome: 'refused', refusedBy: ['tasks'], consumed: [2] });
    expect(await consume(1)).toEqual({ outcome: 'refused', refusedBy: ['tasks'], consumed: [2] });
    expect(await consume(4)).toMatchObject({ outcome: 'consumed', consumed: [4] });
  });

  it('count what is unlimited, and never refuse it', async ({ stores, records }) => {
    const consume = async (amount: number): Promise<unknown> => {
      const debits = [{ limit: 'tasks', periodStart, amount, max: -1 }];
      return stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    };
    expect(await consume(5)).toMatchObject({ outcome: 'consumed', consumed: [5] });
    const greatest = Number.MAX_SAFE_INTEGER;
    expect(await consume(greatest - 6)).toMatchObject({ outcome: 'consumed', consumed: [greatest - 1] });
    expect(await consume(2)).toMatchObject({ outcome: 'consumed', consumed: [greatest] });
    expect(await consume(greatest)).toMatchObject({ outcome: 'consumed', consumed: [greatest] });
  });

  it('have separate counters for tenants, limits and periods', async ({ stores, records }) => {
    const counters = awkwardTexts.flatMap((text) => [
      { tenantId: text, limit: 'tasks', periodStart },
      { tenantId: 'acme', limit: `limit ${text}`, periodStart },
    ]);
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart });
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart: nextPeriod });
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart: new Date(periodStart.getTime() - 1) });
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart: new Date(0) });
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart: new Date(-8.64e15) });
    counters.push({ tenantId: 'acme', limit: 'tasks', periodStart: new Date(8.64e15) });
    for (const [index, { tenantId, ...counter }] of counters.entries()) {
      const debits = [{ ...counter, amount: index + 1, max: -1 }];
      await stores.wallets.consume({ tenantId, receiptId: records.tokenHash(), debits });
    }
    expect(await stores.wallets.readMany(counters)).toEqual(counters.map((_, index) => index + 1));
    expect(await stores.wallets.readMany([{ tenantId: 'acme', limit: 'other', periodStart }])).toEqual([0]);
    expect(await stores.wallets.readMany([])).toEqual([]);
  });

  it('restore what was consumed when the transaction is rolled back', async ({ stores, records }) => {
    const debits = [
      { limit: 'a', periodStart, amount: 1, max: 1 },
      { limit: 'b', periodStart, amount: 1, max: 1 },
    ];
    const consumption = { tenantId: 'acme', debits, idempotencyKey: 'once' };
    await expectRolledBack(stores, async (inside) => {
      const first = await inside.wallets.consume({ ...consumption, receiptId: records.tokenHash() });
      expect(first).toMatchObject({ outcome: 'consumed', consumed: [1, 1] });
      const other = { tenantId: 'acme', debits, receiptId: records.tokenHash() };
      expect(await inside.wallets.consume(other)).toMatchObject({ outcome: 'refused', refusedBy: ['a', 'b'] });
    });
    await stores.transaction(async (outer) => {
      await expectRolledBack(outer, async (inner) =>
        inner.wallets.consume({ ...consumption, receiptId: records.tokenHash() }),
      );
      const again = await outer.wallets.consume({ ...consumption, receiptId: records.tokenHash() });
      expect(again).toMatchObject({ outcome: 'consumed', consumed: [1, 1] });
    });
  });
}

function describeSeveralLimits(it: StoreTest): void {
  it('consume several limits together, or none of them', async ({ stores, records }) => {
    const debits = [
      { limit: 'z day', periodStart, amount: 1, max: 3 },
      { limit: 'a month', periodStart: nextPeriod, amount: 2, max: 4 },
      { limit: 'm ever', periodStart: new Date(0), amount: 5, max: -1 },
    ];
    const consume = async (): Promise<unknown> =>
      stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    expect(await consume()).toMatchObject({
      outcome: 'consumed',
      receipt: { entries: debits.map(({ max: _, ...entry }) => entry) },
      consumed: [1, 2, 5],
    });
    expect(await consume()).toMatchObject({ outcome: 'consumed', consumed: [2, 4, 10] });
    expect(await consume()).toEqual({ outcome: 'refused', refusedBy: ['a month'], consumed: [2, 4, 10] });
    const counters = debits.map(({ limit, periodStart: start }) => ({ tenantId: 'acme', limit, periodStart: start }));
    expect(await stores.wallets.readMany(counters)).toEqual([2, 4, 10]);
  });

  it('report all limits without enough left, in the order of the debits', async ({ stores, records }) => {
    const consume = async (maxima: readonly number[]): Promise<unknown> => {
      const debits = maxima.map((max, index) => ({ limit: `l${9 - index}`, periodStart, amount: 2, max }));
      return stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    };
    await consume([-1, -1, -1, -1]);
    expect(await consume([3, 4, 2, 1])).toEqual({
      outcome: 'refused',
      refusedBy: ['l9', 'l7', 'l6'],
      consumed: [2, 2, 2, 2],
    });
    expect(await consume([3, 4, 2, 5])).toMatchObject({ refusedBy: ['l9', 'l7'], consumed: [2, 2, 2, 2] });
    expect(await consume([4, 4, 4, 4])).toMatchObject({ outcome: 'consumed', consumed: [4, 4, 4, 4] });
  });

  it('keep what a transaction did before a refusal', async ({ stores, records }) => {
    const debits = [
      { limit: 'a', periodStart, amount: 1, max: -1 },
      { limit: 'b', periodStart, amount: 1, max: 1 },
    ];
    await stores.transaction(async (inside) => {
      for (const outcome of ['consumed', 'refused', 'refused']) {
        const consuming = inside.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
        expect(await consuming).toMatchObject({ outcome, consumed: [1, 1] });
      }
      await inside.counters.add('after', 1);
    });
    expect(await stores.counters.read('after')).toBe(1);
    expect(await stores.wallets.readMany([{ tenantId: 'acme', limit: 'a', periodStart }])).toEqual([1]);
  });
}

function describeNumbers(it: StoreTest): void {
  it('refuse invalid amounts and maxima, and consume nothing', async ({ stores, records }) => {
    const { wallets } = stores;
    const consume = async (debits: Parameters<typeof wallets.consume>[0]['debits']): Promise<unknown> =>
      wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    const good = { limit: 'good', periodStart, amount: 1, max: 9 };
    const entry = { limit: 'tasks', periodStart };
    for (const amount of [0, -1, 0.5, 1.5, Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53)]) {
      await expect(consume([good, { ...entry, amount, max: 9 }]), `${amount}`).rejects.toThrow(TypeError);
      await expect(wallets.credit('acme', [{ ...entry, amount }]), `${amount}`).rejects.toThrow(TypeError);
      const receipt = { id: records.tokenHash(), tenantId: 'acme', entries: [{ ...entry, amount }] };
      await expect(wallets.unconsume(receipt), `${amount}`).rejects.toThrow(TypeError);
    }
    for (const max of [-2, 0.5, Number.NaN, Infinity, -Infinity, 2 ** 53]) {
      await expect(consume([good, { ...entry, amount: 1, max }]), `${max}`).rejects.toThrow(TypeError);
    }
    const noMoment = { limit: 'tasks', periodStart: new Date(Number.NaN), amount: 1, max: 9 };
    await expect(consume([good, noMoment])).rejects.toThrow(TypeError);
    await expect(wallets.readMany([{ tenantId: 'acme', ...noMoment }])).rejects.toThrow(TypeError);
    await expect(consume([good, good])).rejects.toThrow(TypeError);
    await expect(consume([])).rejects.toThrow(TypeError);
    const counters = ['good', 'tasks'].map((limit) => ({ tenantId: 'acme', limit, periodStart }));
    expect(await wallets.readMany(counters)).toEqual([0, 0]);
  });

  it('accept the greatest safe integers as amount and maximum', async ({ stores, records }) => {
    const greatest = Number.MAX_SAFE_INTEGER;
    const consume = async (amount: number): Promise<unknown> => {
      const debits = [{ limit: 'large', periodStart, amount, max: greatest }];
      return stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    };
    expect(await consume(greatest - 1)).toMatchObject({ outcome: 'consumed', consumed: [greatest - 1] });
    expect(await consume(2)).toMatchObject({ outcome: 'refused', consumed: [greatest - 1] });
    expect(await consume(1)).toMatchObject({ outcome: 'consumed', consumed: [greatest] });
    expect(await consume(1)).toMatchObject({ outcome: 'refused', consumed: [greatest] });
  });
}

function describeModel(it: StoreTest): void {
  it('behave like a plain map of counters under any sequence of consumptions and credits', async ({
    stores,
    records,
    rounds,
  }) => {
    let run = 0;
    const debit = fc.record({
      limit: fc.constantFrom('a', 'b', 'c'),
      periodStart: fc.constantFrom(periodStart, nextPeriod),
      amount: fc.integer({ min: 1, max: 4 }),
      max: fc.constantFrom(-1, 0, 3, 6),
    });
    const step = fc.record({
      kind: fc.constantFrom('consume', 'consume', 'consume', 'unconsume', 'credit'),
      debits: fc.uniqueArray(debit, { minLength: 1, maxLength: 3, selector: ({ limit }) => limit }),
      key: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined }),
      receipt: fc.nat({ max: 5 }),
    });
    const agrees = fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const tenantId = `tenant ${(run += 1)}`;
      const model = new NaiveWallet();
      const receiptIds: string[] = [];
      for (const { kind, debits, key, receipt } of steps) {
        const receiptId = records.tokenHash();
        if (kind === 'consume') {
          const call = { tenantId, receiptId, debits, ...(key !== undefined && { idempotencyKey: key }) };
          const outcome = await stores.wallets.consume(call);
          expect(outcome).toEqual(model.consume(call));
          if (outcome.outcome === 'consumed') receiptIds.push(receiptId);
        } else if (kind === 'credit') {
          await stores.wallets.credit(tenantId, debits);
          model.credit(debits);
        } else {
          const known = model.receipt(receiptIds[receipt] ?? '');
          if (known) expect(await stores.wallets.unconsume(known)).toBe(model.unconsume(known));
        }
      }
      const counters = ['a', 'b', 'c'].flatMap((limit) =>
        [periodStart, nextPeriod].map((start) => ({ tenantId, limit, periodStart: start })),
      );
      expect(await stores.wallets.readMany(counters)).toEqual(counters.map((counter) => model.read(counter)));
    });
    await fc.assert(agrees, { numRuns: 5 * rounds });
  });
}
