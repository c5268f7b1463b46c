import { invalidQuery } from './invalid-query.ts';
import type { ListQuery } from './list-query.ts';
import { parseListQuery, type QueryTerms } from './parse-list-query.ts';

/** The defaults, if nothing is requested. */
const everything: Pick<ListQuery, 'select' | 'include' | 'access'> = { select: null, include: [], access: [] };

const parameters: ReadonlySet<string> = new Set(['select', 'include', 'access']);

/**
 * Parses the query for one record: which fields, and what to include.
 *
 * @param terms - called only if something is requested, which is rare
 * @throws CodedError `INVALID_QUERY`
 */
export function parseGetQuery(
  terms: () => QueryTerms,
  query: Readonly<Record<string, unknown>>,
): Pick<ListQuery, 'select' | 'include' | 'access'> {
  const names = Object.keys(query);
  if (names.length === 0) return everything;
  const unknown = names.find((name) => !parameters.has(name));
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
  return parseListQuery(terms(), query);
}
