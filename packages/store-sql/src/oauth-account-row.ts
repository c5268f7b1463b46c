import type { OAuthAccountRecord, UserId } from '@x/store';

import type { SqlRow, SqlValue } from './sql-driver.ts';

/** The columns of a linked identity, in the order in which {@link toOAuthAccountValues} binds them. */
export const oauthAccountColumns = 'user_id, provider, provider_id, email';

/** Converts a row of {@link oauthAccountColumns} to the linked identity. */
export function toOAuthAccount(columns: SqlRow): OAuthAccountRecord {
  const row = columns as unknown as OAuthAccountRow;
  return { userId: row.user_id, provider: row.provider, providerId: row.provider_id, email: row.email };
}

/** Converts a linked identity to the values of {@link oauthAccountColumns}. */
export function toOAuthAccountValues(account: OAuthAccountRecord): readonly SqlValue[] {
  return [account.userId, account.provider, account.providerId, account.email];
}

interface OAuthAccountRow {
  readonly user_id: UserId;
  readonly provider: string;
  readonly provider_id: string;
  readonly email: string | null;
}
