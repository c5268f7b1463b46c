import { type CodedError, validationFailed } from '@x/errors';
import { type EntityValues, storeUnavailable } from '@x/store';
import { all, and, isIn, type Where } from '@x/store/where';
import { authorizeOperation, authorizeRead, openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder, parseListQuery } from '../query/parse-list-query.ts';
import { toVisibleConflict } from './conflict.ts';
import { deleteRecord } from './delete.ts';
import { hasHooks } from './hooks.ts';
import { queryTerms } from './list.ts';
import { restrictRelated } from './restrict-related.ts';
import { boundsOf, type Scope, undoable } from './scope.ts';
import { dependsOnRecord, updateRecord } from './update.ts';

/** How many records a filter may select, and how many of them one statement looks at again, in which others wait. */
const [maxSelected, batchSize] = [1000, 50];

/**
 * Parses the filter of the records to write. It may be about all that the filter of a list may be about.
 *
 * @param query - `where`, in its JSON form
 * @throws CodedError `INVALID_QUERY`; `VALIDATION_FAILED` if records are not listed at all; `UNAUTHENTICATED`,
 * `STEP_UP_REQUIRED` or `FORBIDDEN` if the caller may not list them
 */
export function parseSelection(scope: Scope, entity: Entity, query: { readonly where: unknown }): Where {
  if (scope.actor.type === 'caller' && !entity.rules.has('list')) {
    throw validationFailed([{ path: [], code: 'unrecognized_keys', message: 'These records are not listed.' }]);
  }
  authorizeOperation(scope, entity, 'list');
  return parseListQuery(queryTerms(scope, entity), query).where;
}

/** Records to write, and what they satisfy. */
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
  scope: Scope,
  entity: Entity,
  filter: Where,
  operation: 'update' | 'delete',
): Promise<Selection> {
  const listable = await openAuthorization(scope, entity, 'list').restrict(await restrictRelated(scope, filter));
  const gettable = await authorizeRead(scope, entity, 'get').restrict(all);
  const where = and(listable, gettable, await openAuthorization(scope, entity, operation).restrict(all));
  return { ids: await findIds(scope, entity, where), where };
}

/** Divides selected records. */
function* batchesOf({ ids, where }: Selection): Iterable<Selection> {
  for (let from = 0; from < ids.length; from += batchSize) yield { ids: ids.slice(from, from + batchSize), where };
}

/** Finds those of the selected records, which the transaction has locked, that still satisfy the filter. */
async function findLeft(scope: Scope, entity: Entity, selection: Selection): Promise<readonly string[]> {
  const left: string[] = [];
  for (const { ids, where } of batchesOf(selection)) {
    left.push(...(await findIds(scope, entity, and(isIn('id', ids), where))));
  }
  return left;
}

/**
 * Changes selected records that the surrounding transaction has locked, and returns their ids in ascending order. What
 * does not satisfy the filter any more stays as it is.
 *
 * @param input - as for changing one of them
 * @throws CodedError as for changing one of them
 */
export async function updateSelected(
  scope: Scope,
  entity: Entity,
  selection: Selection,
  input: unknown,
): Promise<readonly string[]> {
  const left = await findLeft(scope, entity, selection);
  if (left.length === 0 || (await isUpdatedAtOnce(scope, entity, { ...selection, ids: left }, input))) return left;
  for (const id of left) await updateRecord(scope, entity, { id, ifMatch: null }, input);
  return left;
}

/**
 * Changes records by one statement, unless something has to be decided on each. If one of them refuses the change, none
 * is changed.
 */
async function isUpdatedAtOnce(scope: Scope, entity: Entity, selection: Selection, input: unknown): Promise<boolean> {
  const authorization = openAuthorization(scope, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const values = { ...(parsed.values as EntityValues), updatedAt: scope.now };
  const writable = authorization.writable(values);
  if (dependsOnRecord(entity, parsed) || writable.needsRecord) return false;
  const permitted = writable.where;
  const write = async (inside: Scope): Promise<void> => {
    for (const { ids, where } of batchesOf(selection)) {
      const change = { values, where: and(isIn('id', ids), where, permitted) };
      if ((await inside.stores.entities.updateAll(entity.name, change)) !== ids.length) throw new RefusedError();
    }
  };
  try {
    await undoable(scope, write);
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw toVisibleConflict(scope, entity, error);
  }
}

/** Represents a change of several records that one of them refuses. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Deletes selected records that the surrounding transaction has locked, and returns their ids in ascending order. What
 * does not satisfy the filter any more stays.
 *
 * @throws CodedError `CONFLICT`, `QUERY_TOO_EXPENSIVE`
 */
export async function deleteSelected(scope: Scope, entity: Entity, selection: Selection): Promise<readonly string[]> {
  const locked = await findLeft(scope, entity, selection);
  if (hasHooks(entity, 'delete') || entity.resource) return deleteEach(scope, entity, locked);
  for (const { ids, where } of batchesOf({ ...selection, ids: locked })) {
    const count = await scope.stores.entities.deleteAll(entity.name, and(isIn('id', ids), where));
    // The caller's access was changed concurrently.
    if (count !== ids.length) throw storeUnavailable();
  }
  return locked;
}

/**
 * Finds the ids of the selected records, page by page, because records may be large.
 *
 * @throws CodedError `VALIDATION_FAILED` if they are too many
 */
async function findIds(scope: Scope, entity: Entity, where: Where): Promise<readonly string[]> {
  const ids: string[] = [];
  const bounds = boundsOf(scope, entity);
  for (let hasMore = true; hasMore;) {
    const after = ids.length === 0 ? null : ids.slice(-1);
    const limit = maxSelected + 1 - ids.length;
    const page = await scope.stores.entities.list(entity.name, { where, order: defaultOrder, after, limit, bounds });
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

/** Deletes records one by one. One that the deletion of another took with it was deleted, too. */
async function deleteEach(scope: Scope, entity: Entity, ids: readonly string[]): Promise<readonly string[]> {
  const deleted: string[] = [];
  for (const id of ids) {
    // One after another, because they are steps of one transaction.
    if (await isGone(scope, entity, id)) deleted.push(id);
    else deleted.push((await deleteRecord(scope, entity, { id, ifMatch: null })).row.id);
  }
  return deleted;
}

async function isGone({ stores }: Scope, entity: Entity, id: string): Promise<boolean> {
  return (await stores.entities.get(entity.name, id, all)) === null;
}
