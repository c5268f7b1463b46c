import type { MailTokenRecord } from '@x/store';
import { compareText } from './compare-text.ts';
import { copyDate } from './copy-date.ts';
import { Table } from './table.ts';

/** Mailed tokens of one kind, indexed by user and by hash, and ordered by expiry. */
export type MailTokenTable = Table<MailTokenRecord, 'tokenHash', 'byEnd'>;

/** The single group of the index by expiry. */
export const everyToken = '';

/** Creates an empty table of mailed tokens. */
export function createMailTokenTable(): MailTokenTable {
  return new Table<MailTokenRecord, 'tokenHash', 'byEnd'>({
    keyOf: (token) => token.userId,
    unique: { tokenHash: (token) => token.tokenHash },
    ordered: {
      byEnd: {
        groupOf: () => everyToken,
        compare: (a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || compareText(a.userId, b.userId),
      },
    },
  });
}

/** Copies a token from a caller, or a row for a caller. */
export function copyMailToken(token: MailTokenRecord): MailTokenRecord {
  return {
    userId: token.userId,
    tokenHash: token.tokenHash,
    email: token.email,
    newEmail: token.newEmail,
    expiresAt: copyDate(token.expiresAt),
  };
}
