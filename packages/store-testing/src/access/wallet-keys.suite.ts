import type { ConsumeOutcome, Consumption, TransactionStores, WalletReceipt } from '@x/store';
import { expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { SampleRecords } from '../sample-records.ts';
import type { StoreTest } from '../store-test.ts';

const periodStart = new Date('2026-01-01T00:00:00.000Z');

/** Describes consumptions with an idempotency key, and how keys and receipts are forgotten. */
export function describeWalletKeys(it: StoreTest): void {
  describeKeys(it);
  describePruning(it);
}

function describeKeys(it: StoreTest): void {
  it('count a consumption that is repeated with its key once', async ({ stores, records, processes }) => {
    const first = await consume(stores, records, {});
    expect(first).toMatchObject({ outcome: 'consumed', consumed: [1] });
    await consume(stores, records, { idempotencyKey: 'other' });
    for (const each of [stores, ...processes]) {
      const again = await consume(each, records, {});
      expect(again).toEqual({ outcome: 'repeated', receipt: receiptOf(first), consumed: [2] });
    }
  });

  it('return what was consumed first for a repetition, although nothing is left now', async ({ stores, records }) => {
    const first = await consume(stores, records, {});
    const later = new Date('2026-02-01T00:00:00.000Z');
    const debits = [{ limit: 'tasks', periodStart: later, amount: 1, max: 0 }];
    const again = await consume(stores, records, { debits });
    expect(again).toEqual({ outcome: 'repeated', receipt: receiptOf(first), consumed: [0] });
    const other = await consume(stores, records, { debits, idempotencyKey: 'other' });
    expect(other).toEqual({ outcome: 'refused', refusedBy: ['tasks'], consumed: [0] });
  });

  it('leave a key free after a refusal', async ({ stores, records }) => {
    const debits = (max: number): Consumption['debits'] => [
      { limit: 'a', periodStart, amount: 1, max: -1 },
      { limit: 'b', periodStart, amount: 1, max },
    ];
    for (const max of [0, 1]) {
      await consume(stores, records, { debits: debits(1), idempotencyKey: `fill ${max}` });
      const refused = await consume(stores, records, { debits: debits(max) });
      expect(refused).toEqual({ outcome: 'refused', refusedBy: ['b'], consumed: [1, 1] });
    }
    expect(await consume(stores, records, { debits: debits(2) })).toMatchObject({
      outcome: 'consumed',
      consumed: [2, 2],
    });
  });

  it('free a key when its consumption is taken back, and keep the old receipt used', async ({ stores, records }) => {
    const first = receiptOf(await consume(stores, records, {}));
    expect(await stores.wallets.unconsume(first)).toBe(true);
    const second = await consume(stores, records, {});
    expect(second).toMatchObject({ outcome: 'consumed', consumed: [1] });
    expect(await stores.wallets.unconsume(first)).toBe(false);
    expect(await consume(stores, records, {})).toMatchObject({ outcome: 'repeated', receipt: receiptOf(second) });
    expect(await stores.wallets.unconsume(receiptOf(second))).toBe(true);
  });

  it('tell keys apart by tenant and by code points alone', async ({ stores, records }) => {
    for (const tenantId of ['acme', 'other']) {
      for (const [index, idempotencyKey] of awkwardTexts.entries()) {
        const outcome = await consume(stores, records, { tenantId, idempotencyKey });
        expect(outcome).toMatchObject({ outcome: 'consumed', consumed: [index + 1] });
      }
    }
  });
}

function describePruning(it: StoreTest): void {
  it('free pruned keys, and keep counters', async ({ stores, records, clock }) => {
    const first = receiptOf(await consume(stores, records, { idempotencyKey: 'old' }));
    clock.advance(1);
    const before = clock.now();
    await consume(stores, records, { idempotencyKey: 'new' });
    expect(await stores.wallets.prune({ before, limit: 10 })).toBe(1);
    expect(await stores.wallets.prune({ before, limit: 10 })).toBe(0);
    expect(await consume(stores, records, { idempotencyKey: 'new' })).toMatchObject({ outcome: 'repeated' });
    expect(await consume(stores, records, { idempotencyKey: 'old' })).toMatchObject({
      outcome: 'consumed',
      consumed: [3],
    });
    // The receipt of the pruned key still works.
    expect(await stores.wallets.unconsume(first)).toBe(true);
    expect(await stores.wallets.unconsume(first)).toBe(false);
  });

  it('count the age of a receipt from when it was taken back', async ({ stores, records, clock }) => {
    const receipt = receiptOf(await consume(stores, records, {}));
    clock.advance(1000);
    expect(await stores.wallets.unconsume(receipt)).toBe(true);
    expect(await stores.wallets.prune({ before: clock.now(), limit: 10 })).toBe(0);
    expect(await stores.wallets.unconsume(receipt)).toBe(false);
    clock.advance(1);
    expect(await stores.wallets.prune({ before: clock.now(), limit: 10 })).toBe(1);
  });

  it('prune the oldest first, at most as many as the limit', async ({ stores, records, clock }) => {
    for (const idempotencyKey of ['c', 'a', 'b', 'd']) {
      await consume(stores, records, { idempotencyKey });
      clock.advance(1);
    }
    const before = clock.now();
    expect(await stores.wallets.prune({ before, limit: 1 })).toBe(1);
    expect(await stores.wallets.prune({ before, limit: 2 })).toBe(2);
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((idempotencyKey) => consume(stores, records, { idempotencyKey })),
    );
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['consumed', 'consumed', 'consumed', 'repeated']);
  });

  it('restore what was pruned when the transaction is rolled back', async ({ stores, records, clock }) => {
    await consume(stores, records, {});
    clock.advance(1);
    const before = clock.now();
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.wallets.prune({ before, limit: 10 })).toBe(1);
      expect(await consume(inside, records, {})).toMatchObject({ outcome: 'consumed', consumed: [2] });
    });
    expect(await consume(stores, records, {})).toMatchObject({ outcome: 'repeated', consumed: [1] });
  });
}

async function consume(
  stores: TransactionStores,
  records: SampleRecords,
  call: Partial<Consumption>,
): Promise<ConsumeOutcome> {
  return stores.wallets.consume({
    tenantId: 'acme',
    receiptId: records.tokenHash(),
    debits: [{ limit: 'tasks', periodStart, amount: 1, max: 1000 }],
    idempotencyKey: 'key',
    ...call,
  });
}

function receiptOf(outcome: ConsumeOutcome): WalletReceipt {
  if (outcome.outcome === 'refused') throw new TypeError('There was nothing left.');
  return outcome.receipt;
}
