import type { Where } from '@x/store/where';
import { toIdSchema } from '../model/value-schema.ts';
import { parseListQuery, type QueryTerms } from './parse-list-query.ts';
import { invalidQuery } from './query-terms.ts';

/** A parsed query of an export. */
export interface ExportQuery {
  readonly where: Where;
  /** The requested fields; null for all. */
  readonly select: readonly string[] | null;
  /** The id of the last record that the client has; null from the start. */
  readonly after: string | null;
}

/**
 * Parses the query of an export: `where` and `select` of lists, and `after`, an id.
 *
 * @throws CodedError `INVALID_QUERY`
 */
export function parseExportQuery(terms: QueryTerms, query: Readonly<Record<string, unknown>>): ExportQuery {
  const { after, ...listed } = query;
  const unknown = Object.keys(listed).find((name) => name !== 'where' && name !== 'select');
  if (unknown !== undefined) throw invalidQuery([unknown], 'Unknown parameter.');
  const { where, select } = parseListQuery(terms, listed);
  if (after === undefined) return { where, select, after: null };
  const id = toIdSchema(terms.model.allFields.get('id') ?? {}).safeParse(after);
  if (!id.success) throw invalidQuery(['after'], 'The id of a record is expected.');
  return { where, select, after: id.data };
}
