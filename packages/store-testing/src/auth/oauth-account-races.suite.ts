import type { OAuthAccountRecord, Stores } from '@x/store';
import { expect } from 'vitest';
import { concurrently, pause, times } from '../concurrently.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes link and unlink identities at once. */
export function describeOAuthAccountRaces(it: StoreTest): void {
  it('links an identity to exactly one of 50 users', async ({ stores, records, processes }) => {
    const users = await concurrently(processes, times(50), async (each) => signUp(each, records));
    const account = records.oauthAccount(records.userId());
    const links = await concurrently(processes, users, async (each, { id: userId }) =>
      each.oauthAccounts.link({ ...account, userId }),
    );
    expect(links.filter((link) => link === 'linked')).toHaveLength(1);
    expect(links.filter((link) => link === 'taken')).toHaveLength(49);
    const owner = users[links.indexOf('linked')];
    expect(await stores.oauthAccounts.findUserId(account.provider, account.providerId)).toBe(owner?.id);
  });

  it('stores exactly one of 20 sign-ups with the same identity, completely', async ({ stores, records, processes }) => {
    const account = records.oauthAccount(records.userId());
    const userIds = times(20).map(() => records.userId());
    const outcomes = await concurrently(processes, userIds, async (each, id) =>
      signUpWith(each, records, { ...account, userId: id }),
    );
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    const winner = userIds[outcomes.indexOf(true)];
    expect((await stores.users.list({ limit: 50, after: null })).items.map(({ id }) => id)).toEqual([winner]);
    expect(await stores.oauthAccounts.findUserId(account.provider, account.providerId)).toBe(winner);
  });

  it('keeps one of two providers that are unlinked at once', async ({ stores, records, processes, rounds }) => {
    for (let round = 0; round < 10 * rounds; round += 1) {
      const { id } = await signUp(stores, records, { passwordHash: null });
      for (const provider of ['google', 'github']) {
        await stores.oauthAccounts.link(records.oauthAccount(id, { provider }));
      }
      const unlinked = await concurrently(processes, ['google', 'github', 'google', 'github'], async (each, provider) =>
        each.oauthAccounts.unlink(id, provider),
      );
      expect(unlinked.filter((outcome) => outcome === 'unlinked')).toHaveLength(1);
      expect(await stores.oauthAccounts.list(id)).toHaveLength(1);
    }
  });

  it('leaves no identity of a deleted user, even if one is linked concurrently', async ({
    stores,
    records,
    processes,
    rounds,
  }) => {
    for (let round = 0; round < 6 * rounds; round += 1) {
      const { id: userId } = await signUp(stores, records);
      const accounts = times(12).map(() => records.oauthAccount(userId));
      await concurrently(processes, accounts, async (each, account) => {
        const index = accounts.indexOf(account);
        await pause(index % 3);
        if (index === 5) return each.users.delete(userId);
        return each.oauthAccounts.link(account);
      });
      expect(await stores.oauthAccounts.list(userId)).toEqual([]);
      for (const { provider, providerId } of accounts) {
        expect(await stores.oauthAccounts.findUserId(provider, providerId)).toBeNull();
      }
    }
  });
}

/** Says whether the user was stored: not without the identity. */
async function signUpWith(stores: Stores, records: SampleRecords, account: OAuthAccountRecord): Promise<boolean> {
  const taken = new Error('taken');
  try {
    await stores.transaction(async (inside) => {
      await signUp(inside, records, { id: account.userId, loginEmail: null });
      if ((await inside.oauthAccounts.link(account)) !== 'linked') throw taken;
    });
    return true;
  } catch (error) {
    if (error === taken) return false;
    throw error;
  }
}
