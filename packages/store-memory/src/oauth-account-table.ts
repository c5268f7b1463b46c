import type { OAuthAccountRecord } from '@x/store';
import { compareText } from './compare-text.ts';
import { Table } from './table.ts';

/** Linked identities, indexed by provider and provider id, and ordered by user. */
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

/** Returns the unique key of an identity. */
export function toOAuthAccountKey({
  provider,
  providerId,
}: Pick<OAuthAccountRecord, 'provider' | 'providerId'>): string {
  return JSON.stringify([provider, providerId]);
}

/** Copies an identity from a caller, or a row for a caller. */
export function copyOAuthAccount(account: OAuthAccountRecord): OAuthAccountRecord {
  return {
    userId: account.userId,
    provider: account.provider,
    providerId: account.providerId,
    email: account.email,
  };
}
