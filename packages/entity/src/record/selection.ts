import { type CodedError, validationFailed } from '@x/errors';
import { all, and, isIn, type Where } from '@x/store/where';
import { authorizeOperation, openAuthorization, openRead } from '../authorization/open-authorization.ts';
import { boundsOf, type Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder } from '../query/parse-list-query.ts';
import { parseWhere } from '../query/parse-where.ts';
import { queryTerms } from './caller-terms.ts';
import { batchesOf } from './read-rows.ts';
import { restrictRelated } from './restrict-related.ts';

/** How many records a filter may select. */
const maxSelected = 1000;

/** How many of them one statement looks at again, or writes, while others wait. */
export const atOnce = 50;

/**
 * Parses the filter of the records to write, in its JSON form. It may be about all that the filter of a list may be
 * about.
 *
 * @throws CodedError `INVALID_QUERY`; `VALIDATION_FAILED` if records are not listed at all; `UNAUTHENTICATED`,
 * `STEP_UP_REQUIRED` or `FORBIDDEN` if the caller may not list them
 */
export function parseSelection(call: Call, entity: Entity, where: unknown): Where {
  if (call.actor.type === 'caller' && !entity.rules.has('list')) {
    throw validationFailed([{ path: [], code: 'unrecognized_keys', message: 'These records are not listed.' }]);
  }
  authorizeOperation(call, entity, 'list');
  return parseWhere(queryTerms(call, entity), where);
}

/** Records to write, and the condition that they satisfy. */
export interface Selection {
  readonly ids: readonly string[];
  readonly where: Where;
}

/**
 * Selects the records to write by a filter. Only those count that the caller may list, get and write: all others are as
 * if they did not exist.
 *
 * @throws CodedError `VALIDATION_FAILED` if they are more than 1 000, `QUERY_TOO_EXPENSIVE`
 */
export async function select(
  call: Call,
  entity: Entity,
  filter: Where,
  operation: 'update' | 'delete',
): Promise<Selection> {
  const listable = await openAuthorization(call, entity, 'list').restrict(await restrictRelated(call, filter));
  const gettable = await openRead(call, entity, 'get').restrict(all);
  const where = and(listable, gettable, await openAuthorization(call, entity, operation).restrict(all));
  return { ids: await findIds(call, entity, where), where };
}

/** Finds those of the selected records, which the transaction has locked, that still satisfy the filter. */
export async function findLeft(call: Call, entity: Entity, { ids, where }: Selection): Promise<readonly string[]> {
  const left: string[] = [];
  for (const batch of batchesOf(ids, atOnce))
    left.push(...(await findIds(call, entity, and(isIn('id', batch), where))));
  return left;
}

/**
 * Finds the ids of the selected records, page by page, because records may be large.
 *
 * @throws CodedError `VALIDATION_FAILED` if they are too many
 */
async function findIds(call: Call, entity: Entity, where: Where): Promise<readonly string[]> {
  const ids: string[] = [];
  const bounds = boundsOf(call, entity);
  for (let hasMore = true; hasMore;) {
    const after = ids.length === 0 ? null : ids.slice(-1);
    const limit = maxSelected + 1 - ids.length;
    const page = await call.stores.entities.list(entity.name, { where, order: defaultOrder, after, limit, bounds });
    ids.push(...page.records.map(({ row }) => row.id));
    if (ids.length > maxSelected) throw tooMany();
    hasMore = page.hasMore;
  }
  return ids;
}

function tooMany(): CodedError {
  const message = `A filter selects at most ${maxSelected} records; narrow it.`;
  return validationFailed([{ path: ['where'], code: 'too_big', message }]);
}
