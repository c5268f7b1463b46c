import type { OAuthAccountRecord, OAuthAccountStore, UserId, UserRecord } from '@x/store';
import type { StepExecutor } from '../database/executor.ts';
import { type Lookup, Table } from '../database/table.ts';
import { compareText } from '../database/values.ts';

/** Creates the store of linked identities. */
export function createOAuthAccountStore(executor: StepExecutor<OAuthAccountTables>): OAuthAccountStore {
  return {
    link: async (account) => {
      // Copied first: the caller may change it while the step waits.
      const row = copyOAuthAccount(account);
      return executor.write((tables) => link(tables, row));
    },
    findUserId: async (provider, providerId) =>
      executor.read(
        ({ oauthAccounts }) => oauthAccounts.get(toOAuthAccountKey({ provider, providerId }))?.userId ?? null,
      ),
    list: async (userId) => executor.read((tables) => list(tables, userId)),
    unlink: async (userId, provider) => executor.write((tables) => unlink(tables, userId, provider)),
    removeAll: async (userId) => executor.write((tables) => removeOAuthAccounts(tables, userId)),
  };
}

interface OAuthAccountTables {
  readonly oauthAccounts: OAuthAccountTable;
  readonly users: Lookup<UserRecord>;
}

/** Removes all identities of a user and returns them. */
function removeOAuthAccounts(tables: OAuthAccountTables, userId: UserId): readonly OAuthAccountRecord[] {
  const accounts = list(tables, userId);
  for (const account of accounts) tables.oauthAccounts.delete(toOAuthAccountKey(account));
  return accounts;
}

function link({ users, oauthAccounts }: OAuthAccountTables, row: OAuthAccountRecord): 'linked' | 'taken' | 'missing' {
  if (!users.get(row.userId)) return 'missing';
  if (oauthAccounts.get(toOAuthAccountKey(row))) return 'taken';
  oauthAccounts.insert(row);
  return 'linked';
}

function list({ oauthAccounts }: OAuthAccountTables, userId: UserId): readonly OAuthAccountRecord[] {
  return Array.from(oauthAccounts.select('byUser', userId), copyOAuthAccount);
}

function unlink(
  tables: OAuthAccountTables,
  userId: UserId,
  provider: string,
): 'unlinked' | 'not_linked' | 'last_method' {
  const user = tables.users.get(userId);
  const accounts = list(tables, userId);
  const there = accounts.filter((account) => account.provider === provider);
  if (there.length === 0) return 'not_linked';
  const hasPassword = user !== undefined && user.passwordHash !== null && user.loginEmail !== null;
  if (!hasPassword && there.length === accounts.length) return 'last_method';
  for (const account of there) tables.oauthAccounts.delete(toOAuthAccountKey(account));
  return 'unlinked';
}

/** Linked identities, indexed by provider and provider id, and ordered by user. */
export type OAuthAccountTable = Table<OAuthAccountRecord, never, 'byUser'>;

/** Creates an empty table of linked identities. */
export function createOAuthAccountTable(): OAuthAccountTable {
  return new Table<OAuthAccountRecord, never, 'byUser'>({
    keyOf: toOAuthAccountKey,
    owner: 'byUser',
    unique: {},
    ordered: {
      byUser: {
        groupOf: ({ userId }) => userId,
        compare: (a, b) => compareText(a.provider, b.provider) || compareText(a.providerId, b.providerId),
      },
    },
  });
}

/** Returns the unique key of an identity. */
function toOAuthAccountKey({ provider, providerId }: Pick<OAuthAccountRecord, 'provider' | 'providerId'>): string {
  return JSON.stringify([provider, providerId]);
}

/** Copies an identity from a caller, or a row for a caller. */
function copyOAuthAccount(account: OAuthAccountRecord): OAuthAccountRecord {
  return {
    userId: account.userId,
    provider: account.provider,
    providerId: account.providerId,
    email: account.email,
  };
}
