import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what every store of linked identities does. */
export function describeOAuthAccounts(it: StoreTest): void {
  describe('linked identities', () => {
    describeLinking(it);
    describeUnlinking(it);
    describeLastMethod(it);
    describeRemoving(it);
  });
}

function describeLinking(it: StoreTest): void {
  it('are found by the id that their provider uses, and listed as they were stored', async ({
    stores,
    records,
    processes,
  }) => {
    const { id } = await signUp(stores, records);
    const account = records.oauthAccount(id, { email: null });
    expect(await stores.oauthAccounts.link(account)).toBe('linked');
    for (const { oauthAccounts } of [stores, ...processes]) {
      expect(await oauthAccounts.findUserId(account.provider, account.providerId)).toBe(id);
      expect(await oauthAccounts.list(id)).toEqual([account]);
    }
    expect(await stores.oauthAccounts.findUserId('github', account.providerId)).toBeNull();
    expect(await stores.oauthAccounts.findUserId(account.provider, 'another')).toBeNull();
    expect(await stores.oauthAccounts.list(records.userId())).toEqual([]);
  });

  it('are taken once they are linked, also for their own user', async ({ stores, records }) => {
    const [owner, other] = [await signUp(stores, records), await signUp(stores, records)];
    const account = records.oauthAccount(owner.id);
    await stores.oauthAccounts.link(account);
    expect(await stores.oauthAccounts.link({ ...account, email: 'changed@example.com' })).toBe('taken');
    expect(await stores.oauthAccounts.link({ ...account, userId: other.id })).toBe('taken');
    expect(await stores.oauthAccounts.list(owner.id)).toEqual([account]);
    expect(await stores.oauthAccounts.list(other.id)).toEqual([]);
  });

  it('cannot be linked to a missing user', async ({ stores, records }) => {
    const account = records.oauthAccount(records.userId());
    expect(await stores.oauthAccounts.link(account)).toBe('missing');
    expect(await stores.oauthAccounts.findUserId(account.provider, account.providerId)).toBeNull();
    expect(await stores.oauthAccounts.unlink(account.userId, account.provider)).toBe('not_linked');
    expect(await stores.oauthAccounts.removeAll(account.userId)).toEqual([]);
  });

  it('may be several for a user and for a provider, and are listed in order', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const accounts = [
      records.oauthAccount(id, { provider: 'discord', providerId: '10' }),
      records.oauthAccount(id, { provider: 'discord', providerId: '9' }),
      records.oauthAccount(id, { provider: 'google', providerId: '10' }),
    ];
    for (const account of accounts.toReversed()) expect(await stores.oauthAccounts.link(account)).toBe('linked');
    expect(await stores.oauthAccounts.list(id)).toEqual(accounts);
  });

  it('tell providers and their ids apart by code points, and keep them unchanged', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const pairs = awkwardTexts.flatMap((text) => [
      records.oauthAccount(id, { provider: text, providerId: 'same', email: text }),
      records.oauthAccount(id, { provider: 'same', providerId: text }),
    ]);
    for (const account of pairs) expect(await stores.oauthAccounts.link(account)).toBe('linked');
    const listed = await stores.oauthAccounts.list(id);
    expect(listed).toHaveLength(pairs.length);
    expect(listed).toEqual(expect.arrayContaining(pairs));
    for (const { provider, providerId } of pairs) {
      expect(await stores.oauthAccounts.findUserId(provider, providerId)).toBe(id);
    }
    expect(await stores.oauthAccounts.findUserId('same', 'SAME')).toBeNull();
  });

  it('are not linked when the transaction is rolled back', async ({ stores, records }) => {
    const account = records.oauthAccount((await signUp(stores, records)).id);
    await expectRolledBack(stores, async (inside) => {
      expect(await inside.oauthAccounts.link(account)).toBe('linked');
      expect(await inside.oauthAccounts.link(account)).toBe('taken');
    });
    expect(await stores.oauthAccounts.findUserId(account.provider, account.providerId)).toBeNull();
    expect(await stores.oauthAccounts.link(account)).toBe('linked');
  });
}

function describeUnlinking(it: StoreTest): void {
  it('are unlinked and free for one provider, and for no other', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const gone = [records.oauthAccount(user.id), records.oauthAccount(user.id)];
    const kept = [records.oauthAccount(user.id, { provider: 'github' }), records.oauthAccount(other.id)];
    for (const account of [...gone, ...kept]) await stores.oauthAccounts.link(account);
    expect(await stores.oauthAccounts.unlink(user.id, 'google')).toBe('unlinked');
    expect(await stores.oauthAccounts.unlink(user.id, 'google')).toBe('not_linked');
    expect(await stores.oauthAccounts.list(user.id)).toEqual(kept.slice(0, 1));
    expect(await stores.oauthAccounts.list(other.id)).toEqual(kept.slice(1));
    for (const account of gone) {
      expect(await stores.oauthAccounts.findUserId('google', account.providerId)).toBeNull();
      expect(await stores.oauthAccounts.link({ ...account, userId: other.id })).toBe('linked');
    }
    expect(await stores.users.findById(user.id)).toEqual(user);
  });
}

function describeLastMethod(it: StoreTest): void {
  it('are not unlinked if they are the last way to sign in', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: null });
    const accounts = [records.oauthAccount(id, { providerId: '1' }), records.oauthAccount(id, { providerId: '2' })];
    for (const account of accounts) await stores.oauthAccounts.link(account);
    expect(await stores.oauthAccounts.unlink(id, 'google')).toBe('last_method');
    expect(await stores.oauthAccounts.unlink(id, 'github')).toBe('not_linked');
    expect(await stores.oauthAccounts.list(id)).toEqual(accounts);
  });

  it('are unlinked if there is another provider or a password', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: null });
    for (const provider of ['google', 'github']) {
      await stores.oauthAccounts.link(records.oauthAccount(id, { provider }));
    }
    expect(await stores.oauthAccounts.unlink(id, 'google')).toBe('unlinked');
    expect(await stores.oauthAccounts.unlink(id, 'github')).toBe('last_method');
    await stores.users.setPassword(id, 'hash');
    expect(await stores.oauthAccounts.unlink(id, 'github')).toBe('unlinked');
    expect(await stores.oauthAccounts.list(id)).toEqual([]);
  });

  it('are not unlinked if the password has no login e-mail', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { loginEmail: null, passwordHash: 'hash' });
    await stores.oauthAccounts.link(records.oauthAccount(id));
    expect(await stores.oauthAccounts.unlink(id, 'google')).toBe('last_method');
  });
}

function describeRemoving(it: StoreTest): void {
  it("are all removed, even the last, and no other user's", async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records, { passwordHash: null }), await signUp(stores, records)];
    const accounts = [records.oauthAccount(user.id, { provider: 'discord' }), records.oauthAccount(user.id)];
    const kept = records.oauthAccount(other.id);
    for (const account of [...accounts, kept]) await stores.oauthAccounts.link(account);
    await expectRolledBack(stores, async (inside) => inside.oauthAccounts.removeAll(user.id));
    expect(await stores.oauthAccounts.removeAll(user.id)).toEqual(accounts);
    expect(await stores.oauthAccounts.removeAll(user.id)).toEqual([]);
    expect(await stores.oauthAccounts.list(user.id)).toEqual([]);
    expect(await stores.oauthAccounts.list(other.id)).toEqual([kept]);
  });

  it('are removed with a deleted user, and free again', async ({ stores, records }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const [theirs, kept] = [records.oauthAccount(user.id), records.oauthAccount(other.id)];
    for (const account of [theirs, kept]) await stores.oauthAccounts.link(account);
    await stores.users.delete(user.id);
    expect(await stores.oauthAccounts.findUserId(theirs.provider, theirs.providerId)).toBeNull();
    expect(await stores.oauthAccounts.list(user.id)).toEqual([]);
    expect(await stores.oauthAccounts.list(other.id)).toEqual([kept]);
    expect(await stores.oauthAccounts.link(theirs)).toBe('missing');
    expect(await stores.oauthAccounts.link({ ...theirs, userId: other.id })).toBe('linked');
  });
}
