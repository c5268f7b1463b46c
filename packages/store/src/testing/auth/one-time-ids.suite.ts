import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what every store of used ids does. */
export function describeOneTimeIds(it: StoreTest): void {
  describe('one-time ids', () => {
    describeClaims(it);
    describePruning(it);
  });
}

function describeClaims(it: StoreTest): void {
  it('are claimed once among all processes', async ({ stores, records, processes, clock }) => {
    const [hash, other] = [records.tokenHash(), records.tokenHash()];
    const expiresAt = new Date(clock.now().getTime() + 1000);
    expect(await stores.oneTimeIds.claim(hash, expiresAt)).toBe(true);
    for (const each of [stores, ...processes]) expect(await each.oneTimeIds.claim(hash, expiresAt)).toBe(false);
    expect(await stores.oneTimeIds.claim(other, expiresAt)).toBe(true);
  });

  it('stay claimed until the millisecond before they expire, whatever a later claim says', async ({
    stores,
    records,
    clock,
  }) => {
    const hash = records.tokenHash();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    await stores.oneTimeIds.claim(hash, expiresAt);
    expect(await stores.oneTimeIds.claim(hash, clock.now())).toBe(false);
    clock.advance(999);
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(0);
    expect(await stores.oneTimeIds.claim(hash, expiresAt)).toBe(false);
  });

  it('are told apart by code points alone', async ({ stores, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    for (const text of awkwardTexts) expect(await stores.oneTimeIds.claim(text, expiresAt)).toBe(true);
    for (const text of awkwardTexts) expect(await stores.oneTimeIds.claim(text, expiresAt)).toBe(false);
  });

  it('are not affected when the caller changes a moment afterwards', async ({ stores, records, clock }) => {
    const hash = records.tokenHash();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const claiming = stores.oneTimeIds.claim(hash, expiresAt);
    expiresAt.setTime(0);
    await claiming;
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(0);
  });

  it('are free again when the transaction that claimed them is rolled back', async ({ stores, records, clock }) => {
    const hash = records.tokenHash();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.oneTimeIds.claim(hash, expiresAt)).toBe(true);
      expect(await inside.oneTimeIds.claim(hash, expiresAt)).toBe(false);
    });
    await stores.transaction(async (outer) => {
      await expectRolledBack(outer, async (inner) => inner.oneTimeIds.claim(hash, expiresAt));
      expect(await outer.oneTimeIds.claim(hash, expiresAt)).toBe(true);
    });
    expect(await stores.oneTimeIds.claim(hash, expiresAt)).toBe(false);
  });
}

function describePruning(it: StoreTest): void {
  it('are pruned from the very moment of their expiry', async ({ stores, records, clock }) => {
    const [first, second] = [records.tokenHash(), records.tokenHash()];
    const now = clock.now().getTime();
    await stores.oneTimeIds.claim(first, new Date(now + 1000));
    await stores.oneTimeIds.claim(second, new Date(now + 1001));
    clock.advance(1000);
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(1);
    expect(await stores.oneTimeIds.claim(second, new Date(now + 1001))).toBe(false);
    clock.advance(1);
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(1);
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(0);
    for (const hash of [first, second]) expect(await stores.oneTimeIds.claim(hash, clock.now())).toBe(true);
  });

  it('are pruned in the order of expiry, at most as many as the limit', async ({ stores, records, clock }) => {
    const ids = [40, 10, 50, 30, 20].map((end) => ({ end, hash: records.tokenHash() }));
    const startsAt = clock.now().getTime();
    for (const { hash, end } of ids) await stores.oneTimeIds.claim(hash, new Date(startsAt + end));
    clock.advance(1000);
    expect(await stores.oneTimeIds.prune({ limit: 1 })).toBe(1);
    expect(await stores.oneTimeIds.prune({ limit: 2 })).toBe(2);
    // Those that went can be claimed again, the others can't.
    const later = new Date(clock.now().getTime() + 1000);
    for (const { hash, end } of ids) expect(await stores.oneTimeIds.claim(hash, later), `${end}`).toBe(end <= 30);
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(2);
  });

  it('are restored when the transaction that pruned them is rolled back', async ({ stores, records, clock }) => {
    await stores.oneTimeIds.claim(records.tokenHash(), clock.now());
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.oneTimeIds.prune({ limit: 100 })).toBe(1);
      expect(await inside.oneTimeIds.prune({ limit: 100 })).toBe(0);
    });
    expect(await stores.oneTimeIds.prune({ limit: 100 })).toBe(1);
  });
}
