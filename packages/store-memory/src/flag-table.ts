import { PairTable } from './pair-table.ts';

/** The values of flags, found by owner (first) and name (second). */
export type FlagTable = PairTable<boolean>;

/** Creates an empty table of flags. */
export function createFlagTable(): FlagTable {
  return new PairTable<boolean>();
}
