import { invalidQuery } from './invalid-query.ts';
import type { ListQuery } from './list-query.ts';
import { parseListQuery, type QueryTerms } from './parse-list-query.ts';

const parameters: ReadonlySet<string> = new Set(['select', 'include', 'access']);

/**
 * Parses what may be asked of one record: which fields, and what goes with it.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseGetQuery(
  terms: QueryTerms,
  query: Readonly<Record<string, unknown>>,
): Pick<ListQuery, 'select' | 'include' | 'access'> {
  const unknown = Object.keys(query).find((name) => !parameters.has(name));
  if (unknown !== undefined) throw invalidQuery([unknown], 'This parameter is not known.');
  return parseListQuery(terms, query);
}
