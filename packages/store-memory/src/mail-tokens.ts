import type { MailTokenRecord, MailTokenStore } from '@x/store';
import { copyMailToken, everyToken, type MailTokenTable } from './mail-token-table.ts';
import type { Scope } from './scope.ts';
import { take } from './take.ts';

/** Creates the store for one kind of mailed tokens of a scope. */
export function createMailTokenStore(scope: Scope, kind: 'emailVerifications' | 'passwordResets'): MailTokenStore {
  return {
    replace: async (token) => {
      // Copied before the step may have to wait for its turn.
      const row = copyMailToken(token);
      return scope.write(({ users, [kind]: tokens }) => {
        if (!users.get(row.userId)) return false;
        tokens.put(row);
        return true;
      });
    },
    find: async (tokenHash) => scope.read(({ [kind]: tokens }) => toFound(tokens.find('tokenHash', tokenHash))),
    consume: async (tokenHash) => scope.write(({ [kind]: tokens }, now) => consume(tokens, tokenHash, now)),
    remove: async (userId) => scope.write(({ [kind]: tokens }) => tokens.delete(userId)),
    prune: async ({ before, limit }) => {
      const moment = before.getTime();
      return scope.write(({ [kind]: tokens }, now) => prune(tokens, { before: moment, limit, now }));
    },
  };
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

function prune(
  tokens: MailTokenTable,
  { before, limit, now }: { readonly before: number; readonly limit: number; readonly now: Date },
): number {
  const first = take(tokens.select('byEnd', everyToken), limit);
  const over = first.filter(({ expiresAt }) => expiresAt.getTime() < before && now >= expiresAt);
  for (const { userId } of over) tokens.delete(userId);
  return over.length;
}
