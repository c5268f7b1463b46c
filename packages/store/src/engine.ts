export { InFlightCalls } from './engine/in-flight-calls.ts';
export { Mutex } from './engine/mutex.ts';
export { FairQueue, type FairQueueLimits } from './engine/fair-queue.ts';
export { RevocationListeners } from './engine/revocation-listeners.ts';
export { addStores, type StoreFactories } from './engine/stores-on-demand.ts';
export { defaultPatience, maxTransactionMs, type Patience, withTimeLimit } from './engine/time-limits.ts';

export { logged, recordedIf, toEvents } from './engine/recorded.ts';
export type { AccountChange, LoggedChange, Recorded, RowChange } from './engine/recorded.ts';

export { rowRefused, tableMissing } from './errors.ts';
export { parseCursor, toPage } from './paging.ts';
export type { TimeKey } from './paging.ts';
export { assertStorableText, unstorableText } from './values.ts';

export { sessionIdOfHash } from './auth/sessions.ts';
export { compareRelated } from './access/hierarchy.ts';
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
export { compareDecimals, fromUnits, toUnits } from './decimal.ts';
export { assertAggregable, sortGroups, toAverage, toSum } from './entity/aggregate.ts';
export type { ExactSum } from './entity/aggregate.ts';
export { addExactly, totalToText } from './entity/exact-total.ts';
export type { ExactTotal } from './entity/exact-total.ts';
export {
  assertReference,
  assertSortable,
  checkEntityRow,
  checkEntityValues,
  checkUniqueKey,
  numericColumns,
  uniqueKeys,
} from './entity/entity-table.ts';
export { digestRow } from './entity/digest-row.ts';
export { compareSortKeys, isByRelated, readSortCells, readSortKey } from './entity/sort-key.ts';
