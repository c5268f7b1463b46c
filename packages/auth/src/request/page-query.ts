import { CodedError } from '@x/errors';
import type { PageRequest } from '@x/store';

/** Selects a page of a list. */
export interface PageQuery {
  /** 1 to 100, default 20. */
  readonly limit?: number;
  /** The `nextCursor` of the previous page. */
  readonly after?: string | null;
}

/**
 * Parses the page of a list that is requested.
 *
 * @throws CodedError `INVALID_QUERY` if the limit is out of range, or the cursor is not a text; the stores check the
 * cursor itself
 */
export function toPageRequest({ limit = 20, after = null }: PageQuery): PageRequest {
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw new CodedError('INVALID_QUERY', 'The limit must be a whole number from 1 to 100.');
  }
  if (after !== null && typeof after !== 'string') throw new CodedError('INVALID_QUERY', 'The cursor is not valid.');
  return { limit, after };
}
