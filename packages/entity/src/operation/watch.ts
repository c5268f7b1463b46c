import { isObject } from '@x/errors';
import { all, and, isIn, type Where } from '@x/store/where';
import { notExposed } from '../authorization/errors.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { parseWhere } from '../query/parse-where.ts';
import { invalidQuery, refuseOthers } from '../query/query-terms.ts';
import { queryTerms } from '../record/caller-terms.ts';
import { toId } from '../record/find-record.ts';
import { hasPart, isAboutRelated } from '../record/restrict-related.ts';

/** The rows that a list shows to a caller, as conditions that can be evaluated elsewhere. */
export interface WatchedList {
  /** The caller's filter. */
  readonly where: Where;
  /** The condition of the list's rule: all that the caller may read, as of now. */
  readonly reach: Where;
  /** Whether roles, plans, flags or limits decide on the reach, so that it may change with them. */
  readonly dependsOnAccess: boolean;
  /** Says which columns hold decimals. */
  readonly isDecimal: (column: string) => boolean;
}

/**
 * Parses what a caller wants to watch of a list: `where`, a filter in its JSON form, or `ids`, or records that satisfy
 * both.
 *
 * @throws CodedError as the list does; `METHOD_NOT_ALLOWED` for an existing table; `INVALID_QUERY` for a filter on
 * related records, which no row decides, or on values in JSON, which the feed does not carry
 */
export async function watchList(call: Call, entity: Entity, query: unknown): Promise<WatchedList> {
  // No trigger of ours tells of the changes of an existing table.
  if (entity.model.existing) throw notExposed();
  const authorization = openAuthorization(call, entity, 'list');
  if (!isObject(query)) throw invalidQuery([], 'An object is expected.');
  const { where: filter, ids, ...others } = query;
  const where = parseWhere(queryTerms(call, entity), filter);
  refuseOthers(others);
  if (isAboutRelated(where)) throw invalidQuery(['where'], 'A filter on related records cannot be watched.');
  if (hasPart(where, 'json')) throw invalidQuery(['where'], 'A filter on values in JSON cannot be watched.');
  return {
    where: ids === undefined ? where : and(where, isIn('id', parseIds(entity, ids))),
    reach: await authorization.restrict(all),
    dependsOnAccess: (entity.rules.get('list')?.requirements.length ?? 0) > 0,
    isDecimal: (column) => entity.model.allFields.get(column)?.type === 'decimal',
  };
}

const maxIds = 100;

function parseIds(entity: Entity, ids: unknown): readonly string[] {
  if (!Array.isArray(ids) || ids.length > maxIds)
    throw invalidQuery(['ids'], `A list of up to ${maxIds} ids is expected.`);
  return ids.map((id, index) => {
    const parsed = typeof id === 'string' ? toId(entity, id) : null;
    if (parsed === null) throw invalidQuery(['ids', index], 'An id is expected.');
    return parsed;
  });
}
