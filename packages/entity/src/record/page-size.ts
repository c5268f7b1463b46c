import { CodedError } from '@x/errors';
import type { Entity } from '../definition/entity.ts';
import type { Extras } from './load-extras.ts';
import type { VisibleRecord } from './visible-record.ts';

/**
 * Counts the records of a page, from the first, that fit into its size together with their related records. There is
 * always one, because every list has to lead somewhere.
 *
 * @param extras - the related records of the page
 * @throws CodedError `QUERY_TOO_EXPENSIVE` if the first record alone exceeds the size because of what it includes
 */
export function countFitting(
  { maxPageBytes: maxBytes }: Entity,
  items: readonly VisibleRecord[],
  { complete, related }: Pick<Extras, 'complete' | 'related'>,
): number {
  const hasIncluded = related.length > 0;
  if (!hasIncluded && isSurelyWithin(items, maxBytes)) return items.length;
  let [count, bytes] = [0, 0];
  for (const item of items.slice(0, complete)) {
    bytes += Buffer.byteLength(JSON.stringify(item));
    if (bytes > maxBytes) break;
    count += 1;
  }
  if (count > 0 || items.length === 0) return count;
  if (hasIncluded) throw tooMuchIncluded();
  return 1;
}

/**
 * Makes sure that one record fits into the size of a page with all that it includes.
 *
 * @throws CodedError `QUERY_TOO_EXPENSIVE`
 */
export function assertFits(entity: Entity, record: VisibleRecord, extras: Pick<Extras, 'complete' | 'related'>): void {
  if (extras.related.length > 0) countFitting(entity, [record], extras);
}

/** Builds the error for a record that is too large with all that it includes. */
function tooMuchIncluded(): CodedError {
  return new CodedError('QUERY_TOO_EXPENSIVE', 'A record is too large with all that it includes.', {
    issues: [{ path: ['include'], code: 'too_big', message: 'Include less, or list the related records themselves.' }],
  });
}

/** The most bytes that a UTF-16 code unit takes as JSON: a control character is written as `\u0001`. */
const maxBytesEach = 6;

/** More than a number, a date, or a name takes. */
const maxBytesOfOther = 64;

/** Says whether records fit even if every character takes as many bytes as one can: true for nearly every page. */
function isSurelyWithin(items: readonly VisibleRecord[], maxBytes: number): boolean {
  let bytes = 0;
  for (const item of items) {
    for (const name in item) {
      const value = item[name];
      if (typeof value === 'string') bytes += value.length * maxBytesEach;
      else if (typeof value === 'object' && value !== null && !(value instanceof Date)) return false;
      bytes += maxBytesOfOther;
    }
  }
  return bytes <= maxBytes;
}
