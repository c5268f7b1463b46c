import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { concurrently, times } from '../concurrently.ts';
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

  it('stay claimed until the millisecond before they expire, despite later claims', async ({
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

  it('differ by code points alone', async ({ stores, clock }) => {
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

/** Describes what is guaranteed while several processes claim, return and prune ids at once. */
export function describeOneTimeIdRaces(it: StoreTest): void {
  it('gives an id to exactly one of 50 concurrent claims', async ({ records, processes, clock }) => {
    const hash = records.tokenHash();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const claims = await concurrently(processes, times(50), async (each) => each.oneTimeIds.claim(hash, expiresAt));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('leaves an id to another call when the claim is rolled back', async ({ records, processes, clock }) => {
    const hash = records.tokenHash();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const claims = await concurrently(processes, times(16), async (each, index) => {
      const claiming = each.transaction(async (inside) => {
        const hasIt = await inside.oneTimeIds.claim(hash, expiresAt);
        if (hasIt && index % 4 !== 3) throw new RangeError('no');
        return hasIt;
      });
      return claiming.catch((error: unknown) => error);
    });
    expect(claims.filter((claim) => claim === true)).toHaveLength(1);
    expect(claims.filter((claim) => typeof claim !== 'boolean' && !(claim instanceof RangeError))).toEqual([]);
  });

  it('counts each of 60 expired ids in exactly one pruning', async ({ stores, records, processes, clock }) => {
    const hashes = times(60).map(() => records.tokenHash());
    await concurrently(processes, hashes, async (each, hash) => each.oneTimeIds.claim(hash, clock.now()));
    const pruned = await concurrently(processes, times(8), async (each) => each.oneTimeIds.prune({ limit: 10 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(10);
    const left = await stores.oneTimeIds.prune({ limit: 100 });
    expect(pruned.reduce((sum, count) => sum + count, left)).toBe(60);
  });

  it('frees no id before it expires, even if others are pruned concurrently', async ({
    records,
    processes,
    clock,
    rounds,
  }) => {
    for (let round = 0; round < 4 * rounds; round += 1) {
      const hash = records.tokenHash();
      const expiresAt = new Date(clock.now().getTime() + 1);
      const claims = await concurrently(processes, times(24), async (each, index) => {
        if (index % 6 === 5) return void (await each.oneTimeIds.prune({ limit: 10 }));
        return each.oneTimeIds.claim(hash, expiresAt);
      });
      expect(claims.filter(Boolean)).toHaveLength(1);
      clock.advance(1);
    }
  });
}
