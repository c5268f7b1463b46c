import { CodedError } from '@x/errors';
import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import { and } from '@x/store/where';
import type { WritableChange } from '../authorization/authorization.ts';
import { authorizeOperation, openAuthorization } from '../authorization/open-authorization.ts';
import { type Call, inTransaction, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { toTouched } from '../model/model.ts';
import { assertUnchanged, type RecordInput } from '../model/record-input.ts';
import { toVisibleConflict } from '../record/conflict.ts';
import { parseId } from '../record/find-record.ts';
import { committedContext, hasHooks, hookContext, toStored } from '../record/hooks.ts';
import { authorizeMove, isMove, type Move, type MovePermit, moveResource, whereUnmoved } from '../record/move.ts';
import { type Attempt, mutate, type RecordRequest } from '../record/mutate.ts';
import { assertSomeParent } from '../record/other-parents.ts';
import { assertParent, assertReferences, referencesIn } from '../record/references.ts';
import type { WrittenRecord } from '../record/visible-record.ts';

/**
 * Changes a record by a caller's input. The record before and after the change has to satisfy the rule of the
 * operation, and before the change also the rules of the fields that change. An empty change does nothing.
 *
 * A change of the parent moves the record, with everything below it, in the same transaction: as far as the caller may
 * delete it at its old place and create it at the new one.
 *
 * @throws CodedError
 */
export async function updateRecord(
  call: Call,
  entity: Entity,
  { id, ifMatch }: RecordRequest,
  input: unknown,
): Promise<WrittenRecord> {
  authorizeOperation(call, entity, 'update');
  const parsed = entity.parseUpdate(input, call.actor.type);
  const update = { entity, parsed, id: parseId(entity, id), ifMatch };
  if (!hasHooks(entity, 'update')) return runUpdate(call, update);
  return inTransaction(call, (inside) => runUpdate(inside, update));
}

interface Update extends RecordRequest {
  readonly entity: Entity;
  readonly parsed: RecordInput;
}

function runUpdate(call: Call, update: Update): Promise<WrittenRecord> {
  const { entity, parsed } = update;
  const values = parsed.values as EntityValues;
  return mutate(call, {
    ...update,
    operation: 'update',
    needsLookup: (authorization) => dependsOnRecord(entity, parsed) || authorization.writable(values).needsRecord,
    mayRunAgain: !hasHooks(entity, 'update'),
    run(attempt, found, version) {
      if (!found) {
        const { where } = attempt.authorization.writable(values);
        return change(attempt.call, update, { values, where, version });
      }
      const { row } = found;
      if (!isMove({ entity, from: row, to: { ...row, ...values } })) {
        return changeFound(attempt, update, { found, version });
      }
      return inTransaction(
        attempt.call,
        (inside) => {
          const authorization = openAuthorization(inside, entity, 'update');
          return changeFound({ call: inside, authorization }, update, { found, version });
        },
        { retryable: !hasHooks(entity, 'update') },
      );
    },
  });
}

/** Says whether a change depends on the record as it is, for every caller. */
export function dependsOnRecord(entity: Entity, { values, fixed }: RecordInput): boolean {
  const isEmpty = Object.keys(values).length === 0 || Object.keys(fixed).length > 0;
  return isEmpty || hasHooks(entity, 'update') || referencesIn(entity.model, values).length > 0;
}

/** Changes a record that was looked up, by what depends on it. */
async function changeFound(
  attempt: Attempt,
  update: Update,
  { found, version }: { readonly found: EntityRecord; readonly version: number | undefined },
): Promise<WrittenRecord | null> {
  const { call, authorization } = attempt;
  const { entity, parsed } = update;
  const { row } = found;
  const seen = await authorization.visible(row);
  assertUnchanged(parsed, seen);
  const writable = await authorization.writable(withoutSameParents(update, row)).on({ row, seen });
  if (Object.keys(writable.values).length === 0) return found;
  // Another user chose a value that is sent back unchanged.
  const chosen = Object.entries(writable.values).filter(([name, value]) => value !== seen[name]);
  const move = { entity, from: row, to: { ...row, ...writable.values } };
  if (!entity.hooks.before?.update) assertSomeParent(entity.model, move.to);
  const permit = isMove(move) ? await authorizeMove(call, move) : null;
  await assertReferences(call, entity, { values: Object.fromEntries(chosen), row: move.to });
  return changeWithHooks(call, update, { writable, permit, version, found });
}

/** A parent that is sent back unchanged is not written: another user may move the record meanwhile. */
function withoutSameParents({ entity: { model }, parsed }: Update, row: EntityRow): EntityValues {
  const isSame = (name: string, value: unknown): boolean => model.parents.includes(name) && value === row[name];
  return Object.fromEntries(
    Object.entries(parsed.values as EntityValues).filter(([name, value]) => !isSame(name, value)),
  );
}

interface PermittedChange {
  readonly writable: WritableChange;
  /** The permission to move the record; null if the caller does not. */
  readonly permit: MovePermit | null;
  readonly version: number | undefined;
  readonly found: EntityRecord;
}

async function changeWithHooks(
  call: Call,
  update: Update,
  { writable, permit, version, found }: PermittedChange,
): Promise<WrittenRecord | null> {
  const { entity } = update;
  const { before, after, afterCommit } = entity.hooks;
  const previous = toStored(found.row);
  const addition = await before?.update?.({ record: previous, changes: writable.values }, hookContext(call));
  const permitted = addition ? await writable.confirm({ ...writable.values, ...(addition as EntityValues) }) : writable;
  const { values } = permitted;
  const move = { entity, from: found.row, to: { ...found.row, ...values } };
  if (before?.update) assertSomeParent(entity.model, move.to);
  if (addition) permit?.confirm(move.to);
  const where = permit ? and(permitted.where, permit.where) : permitted.where;
  const changed = isMove(move)
    ? await changeMoved(call, update, { values, where, version, move })
    : await change(call, update, { values, where, version });
  if (!changed) return null;
  await permit?.consume();
  const done = { record: toStored(changed.row), previous };
  await after?.update?.(done, hookContext(call));
  call.afterCommit?.push(() => afterCommit?.update?.(done, committedContext(call)));
  return changed;
}

interface Change extends Pick<WritableChange, 'values' | 'where'> {
  readonly version: number | undefined;
}

/** Changes a record that moves. If the new parent has been deleted meanwhile, it counts as one that nobody can see. */
async function changeMoved(
  call: Call,
  update: Update,
  { move, where, ...rest }: Change & { readonly move: Move },
): Promise<WrittenRecord | null> {
  const { entity, from } = move;
  try {
    const changed = await change(call, update, { ...rest, where: and(where, whereUnmoved(entity, from)) });
    if (!changed) return null;
    await moveResource(call, { ...move, to: changed.row });
    return { ...changed, hasMoved: true };
  } catch (error) {
    if (error instanceof CodedError && error.code === 'CONFLICT') await assertParent(call, entity, move.to);
    throw error;
  }
}

/** The row has to satisfy the condition at the very moment of the change. */
async function change(
  call: Call,
  { entity, id }: Update,
  { values, where, version }: Change,
): Promise<EntityRecord | null> {
  try {
    const change = {
      values: { ...values, ...toTouched(entity.model, call.now) },
      where,
      ...(version !== undefined && { version }),
    };
    return await call.stores.entities.update(entity.name, id, change, toCause(call));
  } catch (error) {
    throw toVisibleConflict(call, entity, error);
  }
}
