import type { OneTimeIdStore } from '@x/store';
import type { StepExecutor } from '../database/executor.ts';
import { Table } from '../database/table.ts';
import { compareText } from '../database/values.ts';

/** Creates the store of one-time ids. */
export function createOneTimeIdStore(executor: StepExecutor<{ readonly oneTimeIds: OneTimeIdTable }>): OneTimeIdStore {
  return {
    claim: async (hash, expiresAt) => {
      // Copied first: the caller may change it while the step waits.
      const row = { hash, expiresAt: expiresAt.getTime() };
      return executor.write(({ oneTimeIds }) => {
        if (oneTimeIds.get(hash)) return false;
        oneTimeIds.insert(row);
        return true;
      });
    },
    prune: async ({ limit }) =>
      executor.write(({ oneTimeIds }, now) =>
        oneTimeIds.prune('byEnd', limit, (claimed) => claimed.expiresAt <= now.getTime()),
      ),
  };
}

/** An id that was claimed. */
interface OneTimeIdRow {
  readonly hash: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Claimed ids, indexed by hash and ordered by expiry. */
export type OneTimeIdTable = Table<OneTimeIdRow, never, 'byEnd'>;

/** Creates an empty table of claimed ids. */
export function createOneTimeIdTable(): OneTimeIdTable {
  return new Table<OneTimeIdRow, never, 'byEnd'>({
    keyOf: ({ hash }) => hash,
    unique: {},
    ordered: {
      byEnd: { compare: (a, b) => a.expiresAt - b.expiresAt || compareText(a.hash, b.hash) },
    },
  });
}
