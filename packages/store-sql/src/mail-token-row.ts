import type { MailTokenRecord, UserId } from '@x/store';

import { type IntegerColumn, toDate } from './column.ts';
import type { SqlRow, SqlValue } from './sql-driver.ts';

/** The columns of a mailed token, in the order in which {@link toMailTokenValues} binds them. */
export const mailTokenColumns = 'user_id, token_hash, email, new_email, expires_at';

/** Converts the rows of a statement that finds or deletes at most one token. */
export function toFirstMailToken([columns]: readonly SqlRow[]): MailTokenRecord | null {
  if (!columns) return null;
  const row = columns as unknown as MailTokenRow;
  return {
    userId: row.user_id,
    tokenHash: row.token_hash,
    email: row.email,
    newEmail: row.new_email,
    expiresAt: toDate(row.expires_at),
  };
}

/** Converts a token to the values of {@link mailTokenColumns}. */
export function toMailTokenValues(token: MailTokenRecord): readonly SqlValue[] {
  return [token.userId, token.tokenHash, token.email, token.newEmail, token.expiresAt.getTime()];
}

interface MailTokenRow {
  readonly user_id: UserId;
  readonly token_hash: string;
  readonly email: string;
  readonly new_email: string | null;
  readonly expires_at: IntegerColumn;
}
