import type { MailTokenRecord, TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { expectRolledBack } from '../in-transaction.ts';
import type { MailTokenKind, SampleRecords } from '../sample-records.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every store of mailed tokens forgets those that were not used in time. */
export function describeMailTokenPruning(it: StoreTest, { kind }: MailTokenKind): void {
  it('prunes exactly the tokens that expired before the given moment', async ({ stores, records, clock }) => {
    const at = (shift: number): Date => new Date(clock.now().getTime() + shift);
    const before = at(1000);
    const over = await mail(stores[kind], { stores, records, expiresAt: at(999) });
    const kept = [
      await mail(stores[kind], { stores, records, expiresAt: before }),
      await mail(stores[kind], { stores, records, expiresAt: at(60_000) }),
    ];
    clock.advance(5000);
    expect(await stores[kind].prune({ before, limit: 100 })).toBe(1);
    expect(await stores[kind].find(over.tokenHash)).toBeNull();
    for (const token of kept) expect(await stores[kind].find(token.tokenHash)).toEqual(token);
    expect(await stores.users.findById(over.userId)).toMatchObject({ id: over.userId });
    expect(await stores[kind].prune({ before, limit: 100 })).toBe(0);
  });

  it('keeps a valid token even if it will expire before the given moment', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const token = await mail(stores[kind], { stores, records, expiresAt });
    const before = new Date(expiresAt.getTime() + 1);
    clock.advance(999);
    expect(await stores[kind].prune({ before, limit: 100 })).toBe(0);
    expect(await stores[kind].find(token.tokenHash)).toEqual(token);
    clock.advance(1);
    expect(await stores[kind].prune({ before, limit: 100 })).toBe(1);
  });

  it('prunes in the order of expiry, at most as many as the limit', async ({ stores, records, clock }) => {
    const ends = [40, 10, 50, 30, 20];
    const tokens: MailTokenRecord[] = [];
    for (const end of ends) {
      const expiresAt = new Date(clock.now().getTime() + end);
      tokens.push(await mail(stores[kind], { stores, records, expiresAt }));
    }
    clock.advance(1000);
    let left = tokens.toSorted((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime());
    for (const [limit, removed] of [
      [1, 1],
      [2, 2],
      [100, 2],
      [1, 0],
    ] as const) {
      expect(await stores[kind].prune({ before: clock.now(), limit })).toBe(removed);
      left = left.slice(removed);
      const found = await Promise.all(tokens.map(async ({ tokenHash }) => stores[kind].find(tokenHash)));
      expect(found.filter((token) => token !== null)).toEqual(tokens.filter((token) => left.includes(token)));
    }
  });

  it('restores pruned tokens when the transaction is rolled back', async ({ stores, records, clock }) => {
    const token = await mail(stores[kind], { stores, records, expiresAt: clock.now() });
    clock.advance(1);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside[kind].prune({ before: clock.now(), limit: 100 })).toBe(1);
      expect(await inside[kind].find(token.tokenHash)).toBeNull();
    });
    expect(await stores[kind].find(token.tokenHash)).toEqual(token);
  });
}

interface Mailing {
  readonly stores: TransactionStores;
  readonly records: SampleRecords;
  readonly expiresAt: Date;
}

/** Stores a token of a user of its own. */
async function mail(
  tokens: TransactionStores['passwordResets'],
  { stores, records, expiresAt }: Mailing,
): Promise<MailTokenRecord> {
  const token = records.mailToken((await signUp(stores, records)).id, { expiresAt });
  await tokens.replace(token);
  return token;
}
