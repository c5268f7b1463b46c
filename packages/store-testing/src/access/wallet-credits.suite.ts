import type { Stores, WalletReceipt } from '@x/store';
import { expect } from 'vitest';
import { expectRolledBack } from '../in-transaction.ts';
import type { SampleRecords } from '../sample-records.ts';
import type { StoreTest } from '../store-test.ts';

const periodStart = new Date('2026-01-01T00:00:00.000Z');

const nextPeriod = new Date('2026-02-01T00:00:00.000Z');

/** Describes how consumptions are taken back. */
export function describeWalletCredits(it: StoreTest): void {
  it('take a receipt back once among all processes', async ({ stores, records, processes }) => {
    await consume(stores, records, { amount: 2 });
    const receipt = await consume(stores, records, { amount: 3 });
    expect(await processes[0].wallets.unconsume(receipt)).toBe(true);
    for (const each of [stores, ...processes]) expect(await each.wallets.unconsume(receipt)).toBe(false);
    expect(await read(stores, periodStart)).toBe(2);
  });

  it('credit the periods that the receipt was consumed in, and no others', async ({ stores, records, clock }) => {
    const old = await consume(stores, records, { amount: 3 });
    await consume(stores, records, { amount: 4, start: nextPeriod });
    clock.advance(40 * 86_400_000);
    expect(await stores.wallets.unconsume(old)).toBe(true);
    expect(await read(stores, periodStart)).toBe(0);
    expect(await read(stores, nextPeriod)).toBe(4);
  });

  it('credit all limits of a receipt', async ({ stores, records }) => {
    const debits = ['b', 'a', 'c'].map((limit, index) => ({ limit, periodStart, amount: index + 1, max: 9 }));
    const call = async (): Promise<unknown> =>
      stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    await call();
    const outcome = await stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
    expect(outcome.outcome === 'consumed' && (await stores.wallets.unconsume(outcome.receipt))).toBe(true);
    const counters = debits.map(({ limit }) => ({ tenantId: 'acme', limit, periodStart }));
    expect(await stores.wallets.readMany(counters)).toEqual([1, 2, 3]);
  });

  it('credit nothing below 0, and create no counter', async ({ stores, records }) => {
    const receipt = await consume(stores, records, { amount: 5 });
    await stores.wallets.credit('acme', [{ limit: 'tasks', periodStart, amount: 3 }]);
    expect(await read(stores, periodStart)).toBe(2);
    expect(await stores.wallets.unconsume(receipt)).toBe(true);
    expect(await read(stores, periodStart)).toBe(0);
    await stores.wallets.credit('acme', [{ limit: 'tasks', periodStart, amount: Number.MAX_SAFE_INTEGER }]);
    await stores.wallets.credit('acme', [{ limit: 'tasks', periodStart: nextPeriod, amount: 1 }]);
    for (const start of [periodStart, nextPeriod]) {
      expect(await read(stores, start)).toBe(0);
      await consume(stores, records, { amount: 10, start });
      const debits = [{ limit: 'tasks', periodStart: start, amount: 1, max: 10 }];
      const more = await stores.wallets.consume({ tenantId: 'acme', receiptId: records.tokenHash(), debits });
      expect(more.outcome).toBe('refused');
    }
  });

  it('accept a receipt for its own tenant only', async ({ stores, records }) => {
    const receipt = await consume(stores, records, { amount: 1 });
    await stores.wallets.consume({
      tenantId: 'other',
      receiptId: receipt.id,
      debits: [{ limit: 'tasks', periodStart, amount: 1, max: 10 }],
    });
    expect(await stores.wallets.unconsume({ ...receipt, tenantId: 'other' })).toBe(true);
    expect(await read(stores, periodStart)).toBe(1);
    expect(await stores.wallets.unconsume(receipt)).toBe(true);
  });

  it('take a receipt back again when the first time was rolled back', async ({ stores, records }) => {
    const receipt = await consume(stores, records, { amount: 2 });
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.wallets.unconsume(receipt)).toBe(true);
      expect(await inside.wallets.unconsume(receipt)).toBe(false);
    });
    expect(await read(stores, periodStart)).toBe(2);
    expect(await stores.wallets.unconsume(receipt)).toBe(true);
    expect(await read(stores, periodStart)).toBe(0);
  });

  it('are not affected when the caller changes moments afterwards', async ({ stores, records }) => {
    const start = new Date(periodStart);
    const debits = [{ limit: 'tasks', periodStart: start, amount: 2, max: 9 }];
    const consuming = stores.wallets.consume({
      tenantId: 'acme',
      receiptId: records.tokenHash(),
      debits,
      idempotencyKey: 'key',
    });
    start.setTime(0);
    const outcome = await consuming;
    if (outcome.outcome === 'consumed') outcome.receipt.entries[0]?.periodStart.setTime(0);
    const counters = [{ tenantId: 'acme', limit: 'tasks', periodStart: new Date(periodStart) }];
    const reading = stores.wallets.readMany(counters);
    counters[0]?.periodStart.setTime(0);
    expect(await reading).toEqual([2]);
    const again = await stores.wallets.consume({
      tenantId: 'acme',
      receiptId: records.tokenHash(),
      debits: [{ limit: 'tasks', periodStart, amount: 2, max: 9 }],
      idempotencyKey: 'key',
    });
    expect(again).toMatchObject({ outcome: 'repeated', receipt: { entries: [{ periodStart }] } });
  });
}

async function consume(
  stores: Stores,
  records: SampleRecords,
  { amount, start = periodStart }: { readonly amount: number; readonly start?: Date },
): Promise<WalletReceipt> {
  const outcome = await stores.wallets.consume({
    tenantId: 'acme',
    receiptId: records.tokenHash(),
    debits: [{ limit: 'tasks', periodStart: start, amount, max: 10 }],
  });
  if (outcome.outcome !== 'consumed') throw new TypeError('There was nothing left.');
  return outcome.receipt;
}

async function read(stores: Stores, start: Date): Promise<number | undefined> {
  return (await stores.wallets.readMany([{ tenantId: 'acme', limit: 'tasks', periodStart: start }]))[0];
}
