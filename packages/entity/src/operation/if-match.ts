import type { EntityRecord } from '@x/store';
import { preconditionFailed } from '../authorization/refusals.ts';

/** The versions of a record that a caller accepts; null for any. */
export type IfMatch = readonly number[] | null;

/**
 * @throws CodedError `PRECONDITION_FAILED` if the record has none of the versions
 *
 * @throws CodedError `PRECONDITION_FAILED` where the record has none of the versions
 */
export function assertMatch(ifMatch: IfMatch, { version }: EntityRecord): void {
  if (ifMatch !== null && !ifMatch.includes(version)) throw preconditionFailed();
}
