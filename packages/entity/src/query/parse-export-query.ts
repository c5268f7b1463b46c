import type { Where } from '@x/store/where';
import { parseListQuery, type QueryTerms } from './parse-list-query.ts';
import { invalidQuery } from './query-terms.ts';

/**
 * Parses the query of an export: the `where` of lists, and nothing else.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseExportQuery(terms: QueryTerms, query: Readonly<Record<string, unknown>>): Where {
  const unknown = Object.keys(query).find((name) => name !== 'where');
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
  return parseListQuery(terms, query).where;
}
