import { CodedError } from '@x/errors';
import type { PageRequest } from '@x/store';

/** Which page of a list is wanted. */
export interface PageQuery {
  /** 1 to 100, default 20. */
  readonly limit?: number;
  /** The `nextCursor` of the page before. */
  readonly after?: string | null;
}

/**
 * Parses which page of a list is wanted.
 *
 * @throws CodedError `INVALID_QUERY` where the limit is out of range, or the cursor no text; which texts are cursors the
 * stores know
 */
export function toPageRequest({ limit = 20, after = null }: PageQuery): PageRequest {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new CodedError('INVALID_QUERY', 'The limit must be a whole number from 1 to 100.');
  }
  if (after !== null && typeof after !== 'string') throw new CodedError('INVALID_QUERY', 'The cursor is not valid.');
  return { limit, after };
}
