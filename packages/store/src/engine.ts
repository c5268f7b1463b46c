export { maxWaitMs, Mutex } from './engine/mutex.ts';
export { RevocationListeners } from './engine/revocation-listeners.ts';
export { maxTransactionMs, withTimeLimit } from './engine/mutex.ts';

export { tableMissing } from './errors.ts';
export { parseCursor, toPage } from './paging.ts';
export type { TimeKey } from './paging.ts';
export { assertStorableText, unstorableText } from './values.ts';

export { sessionIdOfHash } from './auth/sessions.ts';
export {
  assertAmount,
  assertMoment,
  checkDebits,
  checkEntries,
  checkOverrides,
  maxConsumed,
  toReceipt,
} from './access/amounts.ts';
export type { CheckedDebit, CheckedEntry } from './access/amounts.ts';
export { compareDecimals, fromUnits } from './decimal.ts';
export {
  assertReference,
  assertSortable,
  checkEntityRow,
  checkEntityValues,
  uniqueKeys,
} from './entity/entity-table.ts';
export { compareSortKeys, readSortKey } from './entity/sort-key.ts';
