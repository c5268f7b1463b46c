import type { TransactionStores } from '@x/store';

import type { OnScope, SqlDialect } from './sql-driver.ts';

type TakeTurn = TransactionStores['takeTurn'];

/** Builds what takes turns in every transaction. */
export function createSqlTurns({ turns }: SqlDialect): OnScope<TakeTurn> {
  if (turns === null) return () => async () => undefined;
  const takeTurn = `SELECT ${turns.take('$1')}`;
  return (sql) => async (name) => void (await sql.read(takeTurn, [name]));
}

/** Refuses a turn that nothing would end. */
export const turnOutside: TakeTurn = async () => {
  throw new TypeError('A turn can only be taken inside a transaction.');
};
