import { type EntityValues, storeUnavailable } from '@x/store';
import { all, and, isIn } from '@x/store/where';
import { openAuthorization } from '../authorization/open-authorization.ts';
import { type Call, toCause, undoable } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { toTouched } from '../model/model.ts';
import { toVisibleConflict } from '../record/conflict.ts';
import { hasHooks } from '../record/hooks.ts';
import { batchesOf, findLeft, type Selection } from '../record/selection.ts';
import { deleteRecord } from './delete.ts';
import { dependsOnRecord, updateRecord } from './update.ts';

/**
 * Changes selected records that the surrounding transaction has locked, and returns their ids in ascending order.
 * Records that do not satisfy the filter any more stay as they are.
 *
 * @param input - as for changing one of them
 * @throws CodedError as for changing one of them
 */
export async function updateSelected(
  call: Call,
  entity: Entity,
  selection: Selection,
  input: unknown,
): Promise<readonly string[]> {
  const left = await findLeft(call, entity, selection);
  if (left.length === 0 || (await tryUpdateAtOnce(call, entity, { ...selection, ids: left }, input))) return left;
  for (const id of left) await updateRecord(call, entity, { id, ifMatch: null }, input);
  return left;
}

/**
 * Changes records by statements on many, unless something has to be decided on each. If one of them refuses the change,
 * none is changed. Says whether they are changed.
 */
async function tryUpdateAtOnce(call: Call, entity: Entity, selection: Selection, input: unknown): Promise<boolean> {
  const authorization = openAuthorization(call, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const values = { ...(parsed.values as EntityValues), ...toTouched(entity.model, call.now) };
  const writable = authorization.writable(values);
  if (dependsOnRecord(entity, parsed) || writable.needsRecord) return false;
  const permitted = writable.where;
  const write = async (inside: Call): Promise<void> => {
    for (const { ids, where } of batchesOf(selection)) {
      const change = { values, where: and(isIn('id', ids), where, permitted) };
      if ((await inside.stores.entities.updateAll(entity.name, change, toCause(inside))) !== ids.length)
        throw new RefusedError();
    }
  };
  try {
    await undoable(call, write);
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw toVisibleConflict(call, entity, error);
  }
}

/** Represents a change of several records that one of them refuses. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Deletes selected records that the surrounding transaction has locked, and returns their ids in ascending order.
 * Records that do not satisfy the filter any more stay.
 *
 * @throws CodedError `CONFLICT`, `QUERY_TOO_EXPENSIVE`
 */
export async function deleteSelected(call: Call, entity: Entity, selection: Selection): Promise<readonly string[]> {
  const locked = await findLeft(call, entity, selection);
  if (hasHooks(entity, 'delete') || entity.resource) return deleteEach(call, entity, locked);
  for (const { ids, where } of batchesOf({ ...selection, ids: locked })) {
    const count = await call.stores.entities.deleteAll(entity.name, and(isIn('id', ids), where), toCause(call));
    // The caller's access was changed concurrently.
    if (count !== ids.length) throw storeUnavailable();
  }
  return locked;
}

/** Deletes records one by one. One that the deletion of another took with it was deleted, too. */
async function deleteEach(call: Call, entity: Entity, ids: readonly string[]): Promise<readonly string[]> {
  const deleted: string[] = [];
  for (const id of ids) {
    // One after another, because they are steps of one transaction.
    if (await isGone(call, entity, id)) deleted.push(id);
    else deleted.push((await deleteRecord(call, entity, { id, ifMatch: null })).row.id);
  }
  return deleted;
}

async function isGone({ stores }: Call, entity: Entity, id: string): Promise<boolean> {
  return (await stores.entities.get(entity.name, id, all)) === null;
}
