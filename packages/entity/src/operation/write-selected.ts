import type { EntityValues } from '@x/store';
import { all, and, isIn, type Where } from '@x/store/where';
import { openAuthorization, openRead } from '../authorization/open-authorization.ts';
import { type Call, toCause, undoable } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { toTouched } from '../model/model.ts';
import { toVisibleConflict } from '../record/conflict.ts';
import { hasHooks } from '../record/hooks.ts';
import { batchesOf, readRows } from '../record/read-rows.ts';
import { atOnce } from '../record/selection.ts';
import type { WrittenRecord } from '../record/visible-record.ts';
import { deleteRecord } from './delete.ts';
import { dependsOnRecord, updateRecord } from './update.ts';

/**
 * Changes selected records that the surrounding transaction has locked, and returns them in the order of their ids,
 * except those that it has deleted.
 *
 * @param ids - in ascending order
 * @param input - as for changing one of them
 * @throws CodedError as for changing one of them
 */
export async function updateSelected(
  call: Call,
  entity: Entity,
  ids: readonly string[],
  input: unknown,
): Promise<readonly WrittenRecord[]> {
  if (ids.length === 0) return [];
  const changed: WrittenRecord[] = [];
  if (await tryUpdateAtOnce(call, entity, ids, input)) {
    for await (const record of readRows(call.stores, { entity, column: 'id', values: ids })) changed.push(record);
    return changed;
  }
  for (const id of ids) {
    // One after another, because they are steps of one transaction.
    if (await isGone(call, entity, id)) continue;
    changed.push(await updateRecord(call, entity, { id, ifMatch: null }, input));
  }
  return changed;
}

/**
 * Changes records by statements on many, unless something has to be decided on each. If one of them refuses the change,
 * none is changed. Says whether they are changed.
 */
async function tryUpdateAtOnce(call: Call, entity: Entity, ids: readonly string[], input: unknown): Promise<boolean> {
  const authorization = openAuthorization(call, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const values = { ...(parsed.values as EntityValues), ...toTouched(entity.model, call.now) };
  const writable = authorization.writable(values);
  if (dependsOnRecord(entity, parsed) || writable.needsRecord) return false;
  try {
    return await tryOnEach(call, ids, async ({ stores }, batch) =>
      stores.entities.updateAll(entity.name, { values, where: and(batch, writable.where) }, toCause(call)),
    );
  } catch (error) {
    throw toVisibleConflict(call, entity, error);
  }
}

/**
 * Runs a statement on each batch of records, or undoes all of them once one does not reach every record of its batch.
 * Says whether they are done.
 */
async function tryOnEach(
  call: Call,
  ids: readonly string[],
  write: (inside: Call, batch: Where) => Promise<number>,
): Promise<boolean> {
  try {
    await undoable(call, async (inside) => {
      for (const batch of batchesOf(ids, atOnce)) {
        if ((await write(inside, isIn('id', batch))) !== batch.length) throw new RefusedError();
      }
    });
    return true;
  } catch (error) {
    if (error instanceof RefusedError) return false;
    throw error;
  }
}

/** Represents a write of several records that one of them refuses. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Deletes selected records that the surrounding transaction has locked, and returns their ids in ascending order.
 *
 * @param ids - in ascending order
 * @throws CodedError as for deleting one of them
 */
export async function deleteSelected(call: Call, entity: Entity, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0 || (await tryDeleteAtOnce(call, entity, ids))) return ids;
  const deleted: string[] = [];
  for (const id of ids) {
    // One that the deletion of another took with it was deleted, too.
    if (await isGone(call, entity, id)) deleted.push(id);
    else deleted.push((await deleteRecord(call, entity, { id, ifMatch: null })).row.id);
  }
  return deleted;
}

/** Deletes records by statements on many, unless something has to be done for each. Says whether they are deleted. */
async function tryDeleteAtOnce(call: Call, entity: Entity, ids: readonly string[]): Promise<boolean> {
  if (hasHooks(entity, 'delete') || entity.resource) return false;
  const readable = await openRead(call, entity, 'get').restrict(all);
  const permitted = and(readable, await openAuthorization(call, entity, 'delete').restrict(all));
  return tryOnEach(call, ids, async ({ stores }, batch) =>
    stores.entities.deleteAll(entity.name, and(batch, permitted), toCause(call)),
  );
}

async function isGone({ stores }: Call, entity: Entity, id: string): Promise<boolean> {
  return (await stores.entities.get(entity.name, id, all)) === null;
}
