import type { MailTokenRecord, MailTokenStore, UserRecord } from '@x/store';
import type { StepExecutor } from '../database/executor.ts';
import { type Lookup, Table } from '../database/table.ts';
import { compareText, copyDate } from '../database/values.ts';

/** Creates the store for one kind of mailed tokens. */
export function createMailTokenStore(
  executor: StepExecutor<MailTokenTables>,
  kind: 'emailVerifications' | 'passwordResets',
): MailTokenStore {
  return {
    replace: async (token) => {
      // Copied first: the caller may change it while the step waits.
      const row = copyMailToken(token);
      return executor.write(({ users, [kind]: tokens }) => {
        if (!users.get(row.userId)) return false;
        tokens.put(row);
        return true;
      });
    },
    find: async (tokenHash) => executor.read(({ [kind]: tokens }) => toFound(tokens.find('tokenHash', tokenHash))),
    consume: async (tokenHash) => executor.write(({ [kind]: tokens }, now) => consume(tokens, tokenHash, now)),
    remove: async (userId) => executor.write(({ [kind]: tokens }) => tokens.delete(userId)),
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return executor.write(({ [kind]: tokens }, now) =>
        tokens.prune('byEnd', limit, ({ expiresAt }) => expiresAt.getTime() < moment && now >= expiresAt),
      );
    },
  };
}

interface MailTokenTables {
  readonly emailVerifications: MailTokenTable;
  readonly passwordResets: MailTokenTable;
  readonly users: Lookup<UserRecord>;
}

function toFound(row: MailTokenRecord | undefined): MailTokenRecord | null {
  return row ? copyMailToken(row) : null;
}

function consume(tokens: MailTokenTable, tokenHash: string, now: Date): MailTokenRecord | null {
  const token = tokens.find('tokenHash', tokenHash);
  if (!token || now >= token.expiresAt) return null;
  tokens.delete(token.userId);
  return copyMailToken(token);
}

/** Mailed tokens of one kind, indexed by user and by hash, and ordered by expiry. */
export type MailTokenTable = Table<MailTokenRecord, 'tokenHash', 'byEnd'>;

/** Creates an empty table of mailed tokens. */
export function createMailTokenTable(): MailTokenTable {
  return new Table<MailTokenRecord, 'tokenHash', 'byEnd'>({
    keyOf: (token) => token.userId,
    owner: 'key',
    unique: { tokenHash: (token) => token.tokenHash },
    ordered: {
      byEnd: {
        compare: (a, b) => a.expiresAt.getTime() - b.expiresAt.getTime() || compareText(a.userId, b.userId),
      },
    },
  });
}

/** Copies a token from a caller, or a row for a caller. */
function copyMailToken(token: MailTokenRecord): MailTokenRecord {
  return {
    userId: token.userId,
    tokenHash: token.tokenHash,
    email: token.email,
    newEmail: token.newEmail,
    expiresAt: copyDate(token.expiresAt),
  };
}
