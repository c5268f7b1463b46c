import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { type MailTokenKind, mailTokenKinds } from '../sample-records.ts';
import { signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeMailTokenPruning } from './mail-token-pruning.suite.ts';

/** Describes what every store of mailed tokens does, of both kinds. */
export function describeMailTokens(it: StoreTest): void {
  for (const kinds of mailTokenKinds) {
    describe(`the store of ${kinds.kind}`, () => {
      describeReplacing(it, kinds);
      describeContents(it, kinds);
      describeConsuming(it, kinds);
      describeRemoving(it, kinds);
      describeKinds(it, kinds);
      describeUndoing(it, kinds);
      describeMailTokenPruning(it, kinds);
    });
  }
}

function describeReplacing(it: StoreTest, { kind }: MailTokenKind): void {
  it('finds a token as it was stored, by its own hash alone', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records);
    const token = records.mailToken(id, { newEmail: 'next@example.com' });
    expect(await stores[kind].replace(token)).toBe(true);
    for (const each of [stores, ...processes]) expect(await each[kind].find(token.tokenHash)).toEqual(token);
    expect(await stores[kind].find(records.tokenHash())).toBeNull();
    expect(await stores[kind].find(id)).toBeNull();
  });

  it('replaces the older token of the same user, and of no other', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const others = records.mailToken((await signUp(stores, records)).id);
    await stores[kind].replace(others);
    const older = records.mailToken(id, { newEmail: 'next@example.com' });
    const newer = records.mailToken(id, { expiresAt: new Date(older.expiresAt.getTime() - 1) });
    for (const token of [older, newer]) expect(await stores[kind].replace(token)).toBe(true);
    expect(await stores[kind].find(older.tokenHash)).toBeNull();
    expect(await stores[kind].consume(older.tokenHash)).toBeNull();
    expect(await stores[kind].find(newer.tokenHash)).toEqual(newer);
    expect(await stores[kind].find(others.tokenHash)).toEqual(others);
  });

  it('replaces a token by itself, and by another after it was used', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const token = records.mailToken(id);
    const later = { ...token, expiresAt: new Date(clock.now().getTime() + 1) };
    for (const each of [token, later]) expect(await stores[kind].replace(each)).toBe(true);
    expect(await stores[kind].consume(token.tokenHash)).toEqual(later);
    expect(await stores[kind].replace(token)).toBe(true);
    expect(await stores[kind].find(token.tokenHash)).toEqual(token);
  });

  it('stores no token for a missing user', async ({ stores, records }) => {
    await signUp(stores, records);
    const token = records.mailToken(records.userId());
    expect(await stores[kind].replace(token)).toBe(false);
    expect(await stores[kind].find(token.tokenHash)).toBeNull();
    // Nor has one who is created afterwards.
    await signUp(stores, records, { id: token.userId });
    expect(await stores[kind].find(token.tokenHash)).toBeNull();
  });
}

function describeContents(it: StoreTest, { kind }: MailTokenKind): void {
  it('keeps every text of a token unchanged, and tells hashes apart by code points', async ({ stores, records }) => {
    const tokens = [];
    for (const text of awkwardTexts) {
      const { id } = await signUp(stores, records);
      tokens.push(records.mailToken(id, { tokenHash: text, email: text, newEmail: text }));
    }
    for (const token of tokens) expect(await stores[kind].replace(token)).toBe(true);
    for (const token of tokens) expect(await stores[kind].find(token.tokenHash)).toEqual(token);
    expect(await stores[kind].consume('AB')).toBeNull();
    for (const token of tokens) expect(await stores[kind].consume(token.tokenHash)).toEqual(token);
  });

  it('keeps moments to the millisecond', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    for (const moment of ['1969-12-31T23:59:59.999Z', '2026-02-28T12:34:56.789Z', '9999-12-31T23:59:59.999Z']) {
      const token = records.mailToken(id, { expiresAt: new Date(moment) });
      await stores[kind].replace(token);
      expect(stored(await stores[kind].find(token.tokenHash)).expiresAt.toISOString()).toBe(moment);
    }
  });

  it('is not affected when the caller changes its input or a returned token', async ({ stores, records }) => {
    const token = records.mailToken((await signUp(stores, records)).id);
    const handedIn = { ...token, expiresAt: new Date(token.expiresAt) };
    const replacing = stores[kind].replace(handedIn);
    handedIn.expiresAt.setTime(0);
    await replacing;
    stored(await stores[kind].find(token.tokenHash)).expiresAt.setTime(0);
    expect(await stores[kind].consume(token.tokenHash)).toEqual(token);
  });
}

function describeConsuming(it: StoreTest, { kind }: MailTokenKind): void {
  it('consumes a token once', async ({ stores, records, processes }) => {
    const token = records.mailToken((await signUp(stores, records)).id);
    await stores[kind].replace(token);
    expect(await stores[kind].consume(records.tokenHash())).toBeNull();
    expect(await stores[kind].consume(token.tokenHash)).toEqual(token);
    for (const each of [stores, ...processes]) {
      expect(await each[kind].consume(token.tokenHash)).toBeNull();
      expect(await each[kind].find(token.tokenHash)).toBeNull();
    }
  });

  it('accepts a token until the millisecond before it expires', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const [first, second] = [records.mailToken(id, { expiresAt }), records.mailToken(id, { expiresAt })];
    clock.advance(999);
    await stores[kind].replace(first);
    expect(await stores[kind].consume(first.tokenHash)).toEqual(first);
    await stores[kind].replace(second);
    clock.advance(1);
    expect(await stores[kind].consume(second.tokenHash)).toBeNull();
    clock.advance(86_400_000);
    expect(await stores[kind].consume(second.tokenHash)).toBeNull();
    // It can still be found, to explain why it is refused.
    expect(await stores[kind].find(second.tokenHash)).toEqual(second);
  });

  it('leaves a token of a disabled user, or for an address that changed, to the caller to check', async ({
    stores,
    records,
  }) => {
    const { id } = await signUp(stores, records);
    const token = records.mailToken(id, { email: 'old@example.com' });
    await stores[kind].replace(token);
    await stores.users.claimEmail(id, 'new@example.com');
    await stores.users.setDisabled(id, true);
    expect(await stores[kind].consume(token.tokenHash)).toEqual(token);
  });
}

function describeRemoving(it: StoreTest, { kind }: MailTokenKind): void {
  it("removes the token of a user, valid or not, and no other user's", async ({ stores, records, clock }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const others = records.mailToken(other.id);
    await stores[kind].replace(others);
    for (const expiresAt of [new Date(clock.now().getTime() + 1), clock.now()]) {
      const token = records.mailToken(user.id, { expiresAt });
      await stores[kind].replace(token);
      await stores[kind].remove(user.id);
      expect(await stores[kind].find(token.tokenHash)).toBeNull();
    }
    // Where there is none, nothing happens.
    expect(await stores[kind].remove(user.id)).toBeUndefined();
    expect(await stores[kind].remove(records.userId())).toBeUndefined();
    expect(await stores[kind].find(others.tokenHash)).toEqual(others);
    expect(await stores.users.findById(user.id)).toEqual(user);
  });
}

function describeKinds(it: StoreTest, { kind, other }: MailTokenKind): void {
  it('never finds, consumes or changes a token in steps of the other kind', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const token = records.mailToken(id, { expiresAt: new Date(clock.now().getTime() + 1) });
    await stores[kind].replace(token);
    expect(await stores[other].find(token.tokenHash)).toBeNull();
    expect(await stores[other].consume(token.tokenHash)).toBeNull();
    await stores[other].remove(id);
    // Not even the same hash of the same user.
    expect(await stores[other].replace(token)).toBe(true);
    expect(await stores[other].consume(token.tokenHash)).toEqual(token);
    await stores[other].replace(records.mailToken(id));
    clock.advance(2);
    expect(await stores[other].prune({ before: clock.now(), limit: 100 })).toBe(0);
    expect(await stores[kind].find(token.tokenHash)).toEqual(token);
  });
}

function describeUndoing(it: StoreTest, { kind }: MailTokenKind): void {
  it.holding(2)(
    'restores consumed, replaced and removed tokens when the transaction is rolled back',
    async ({ stores, records }) => {
      const { id } = await signUp(stores, records);
      const token = records.mailToken(id);
      const next = records.mailToken(id);
      await stores[kind].replace(token);
      await expectRolledBack(stores, async (inside) => {
        expect(await inside[kind].consume(token.tokenHash)).toEqual(token);
        expect(await inside[kind].consume(token.tokenHash)).toBeNull();
        expect(await inside[kind].find(token.tokenHash)).toBeNull();
        expect(await stores[kind].find(token.tokenHash)).toEqual(token);
      });
      expect(await stores[kind].find(token.tokenHash)).toEqual(token);
      await expectRolledBack(stores, async (inside) => {
        await inside[kind].replace(next);
        expect(await inside[kind].find(token.tokenHash)).toBeNull();
        expect(await inside[kind].consume(next.tokenHash)).toEqual(next);
      });
      await expectRolledBack(stores, async (inside) => inside[kind].remove(id));
      expect(await stores[kind].find(next.tokenHash)).toBeNull();
      expect(await stores[kind].consume(token.tokenHash)).toEqual(token);
    },
  );

  it('commits or rolls back a token together with its effect, also in an inner transaction', async ({
    stores,
    records,
  }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'old' });
    const token = records.mailToken(id);
    await stores[kind].replace(token);
    await stores.transaction(async (outer) => {
      await expectRolledBack(outer, async (inner) => {
        await inner[kind].consume(token.tokenHash);
        await inner.users.setPassword(id, 'undone');
      });
      expect(await outer.users.findById(id)).toMatchObject({ passwordHash: 'old' });
      expect(await outer[kind].consume(token.tokenHash)).toEqual(token);
      await outer.users.setPassword(id, 'new');
    });
    expect(await stores.users.findById(id)).toMatchObject({ passwordHash: 'new' });
    expect(await stores[kind].find(token.tokenHash)).toBeNull();
  });

  it('stores a token for a user who signs up in the same transaction, and rolls back both', async ({
    stores,
    records,
  }) => {
    const token = records.mailToken(records.userId());
    await expectRolledBack(stores, async (inside) => {
      await signUp(inside, records, { id: token.userId });
      expect(await inside[kind].replace(token)).toBe(true);
    });
    expect(await stores[kind].find(token.tokenHash)).toBeNull();
    await stores.transaction(async (inside) => {
      await signUp(inside, records, { id: token.userId });
      await inside[kind].replace(token);
    });
    expect(await stores[kind].find(token.tokenHash)).toEqual(token);
  });
}
