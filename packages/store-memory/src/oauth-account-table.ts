import type { OAuthAccountRecord } from '@x/store';
import { compareText } from './compare-text.ts';
import { Table } from './table.ts';

/** Linked identities, found by what their provider calls them, and those of a user visited in order. */
export type OAuthAccountTable = Table<OAuthAccountRecord, never, 'byUser'>;

/** Creates an empty table of linked identities. */
export function createOAuthAccountTable(): OAuthAccountTable {
  return new Table<OAuthAccountRecord, never, 'byUser'>({
    keyOf: toOAuthAccountKey,
    unique: {},
    ordered: {
      byUser: {
        groupOf: ({ userId }) => userId,
        compare: (a, b) => compareText(a.provider, b.provider) || compareText(a.providerId, b.providerId),
      },
    },
  });
}

/** Returns what tells an identity from all others: no two pairs of texts have one key. */
export function toOAuthAccountKey({
  provider,
  providerId,
}: Pick<OAuthAccountRecord, 'provider' | 'providerId'>): string {
  return JSON.stringify([provider, providerId]);
}

/** Copies an identity that a caller handed in, or a row for a caller. */
export function copyOAuthAccount(account: OAuthAccountRecord): OAuthAccountRecord {
  return {
    userId: account.userId,
    provider: account.provider,
    providerId: account.providerId,
    email: account.email,
  };
}
