import type { OAuthAccountRecord, OAuthAccountStore, UserId } from '@x/store';
import { copyOAuthAccount, toOAuthAccountKey } from './oauth-account-table.ts';
import type { Scope } from './scope.ts';
import type { Tables } from './tables.ts';

/** Creates the store of linked identities of a scope. */
export function createOAuthAccountStore(scope: Scope): OAuthAccountStore {
  return {
    link: async (account) => {
      // Copied before the step may have to wait for its turn.
      const row = copyOAuthAccount(account);
      return scope.write((tables) => link(tables, row));
    },
    findUserId: async (provider, providerId) =>
      scope.read(({ oauthAccounts }) => oauthAccounts.get(toOAuthAccountKey({ provider, providerId }))?.userId ?? null),
    list: async (userId) => scope.read((tables) => list(tables, userId)),
    unlink: async (userId, provider) => scope.write((tables) => unlink(tables, userId, provider)),
    removeAll: async (userId) => scope.write((tables) => removeOAuthAccounts(tables, userId)),
  };
}

/** Removes all identities of a user and returns them. */
export function removeOAuthAccounts(tables: Tables, userId: UserId): readonly OAuthAccountRecord[] {
  const accounts = list(tables, userId);
  for (const account of accounts) tables.oauthAccounts.delete(toOAuthAccountKey(account));
  return accounts;
}

function link({ users, oauthAccounts }: Tables, row: OAuthAccountRecord): 'linked' | 'taken' | 'missing' {
  if (!users.get(row.userId)) return 'missing';
  if (oauthAccounts.get(toOAuthAccountKey(row))) return 'taken';
  oauthAccounts.insert(row);
  return 'linked';
}

function list({ oauthAccounts }: Tables, userId: UserId): readonly OAuthAccountRecord[] {
  return Array.from(oauthAccounts.select('byUser', userId), copyOAuthAccount);
}

function unlink(tables: Tables, userId: UserId, provider: string): 'unlinked' | 'not_linked' | 'last_method' {
  const user = tables.users.get(userId);
  const accounts = list(tables, userId);
  const there = accounts.filter((account) => account.provider === provider);
  if (there.length === 0) return 'not_linked';
  const hasPassword = user !== undefined && user.passwordHash !== null && user.loginEmail !== null;
  if (!hasPassword && there.length === accounts.length) return 'last_method';
  for (const account of there) tables.oauthAccounts.delete(toOAuthAccountKey(account));
  return 'unlinked';
}
