import type { OneTimeIdStore } from '@x/store';
import { everyId, type OneTimeIdTable } from './one-time-id-table.ts';
import type { Scope } from './scope.ts';
import { take } from './take.ts';

/** Creates the store of one-time ids of a scope. */
export function createOneTimeIdStore(scope: Scope): OneTimeIdStore {
  return {
    claim: async (hash, expiresAt) => {
      // Copied before the step may have to wait for its turn.
      const row = { hash, expiresAt: expiresAt.getTime() };
      return scope.write(({ oneTimeIds }) => {
        if (oneTimeIds.get(hash)) return false;
        oneTimeIds.insert(row);
        return true;
      });
    },
    prune: async ({ limit }) => scope.write(({ oneTimeIds }, now) => prune(oneTimeIds, now, limit)),
  };
}

function prune(ids: OneTimeIdTable, now: Date, limit: number): number {
  const over = take(ids.select('byEnd', everyId), limit).filter(({ expiresAt }) => expiresAt <= now.getTime());
  for (const { hash } of over) ids.delete(hash);
  return over.length;
}
