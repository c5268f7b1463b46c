import type { TransactionStores } from '@x/store';
import { assertStorableText } from '@x/store/engine';

import type { OnScope, SqlDialect } from './sql-driver.ts';

type Lock = TransactionStores['lock'];

/** Builds the function that locks names, for every transaction. */
export function createSqlLock({ locks }: SqlDialect): OnScope<Lock> {
  if (locks === null) return () => async (name) => assertStorableText(name);
  const lock = `SELECT ${locks.exclusive('$1')}`;
  return (sql) => async (name) => void (await sql.read(lock, [name]));
}

/** Refuses a lock outside a transaction, which nothing would release. */
export const lockOutside: Lock = async () => {
  throw new TypeError('A name can only be locked inside a transaction.');
};
