import { PairTable } from './pair-table.ts';

/** The values of flags, by owner (first key) and name (second key). */
export type FlagTable = PairTable<boolean>;

/** Creates an empty table of flags. */
export function createFlagTable(): FlagTable {
  return new PairTable<boolean>();
}
