import type { EntityRecord, EntityValues } from '@x/store';
import type { WritableChange } from '../authorization/authorization.ts';
import { authorizeOperation } from '../authorization/open-authorization.ts';
import { type Call, inTransaction, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged, type RecordInput } from '../model/record-input.ts';
import { toVisibleConflict } from '../record/conflict.ts';
import { parseId } from '../record/find-record.ts';
import { committedContext, hasHooks, hookContext, toStored } from '../record/hooks.ts';
import { type Attempt, mutate, type RecordRequest } from '../record/mutate.ts';
import { assertReferences, referencesIn } from '../record/references.ts';

/**
 * Changes a record by a caller's input. The record before and after the change has to satisfy the rule of the
 * operation, and before the change also the rules of the fields that change. An empty change does nothing.
 *
 * @throws CodedError
 */
export async function updateRecord(
  call: Call,
  entity: Entity,
  { id, ifMatch }: RecordRequest,
  input: unknown,
): Promise<EntityRecord> {
  authorizeOperation(call, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const update = { entity, parsed, id: parseId(id), ifMatch };
  if (!hasHooks(entity, 'update')) return runUpdate(call, update);
  return inTransaction(call, (inside) => runUpdate(inside, update));
}

interface Update extends RecordRequest {
  readonly entity: Entity;
  readonly parsed: RecordInput;
}

function runUpdate(call: Call, update: Update): Promise<EntityRecord> {
  const { entity, parsed } = update;
  const values = parsed.values as EntityValues;
  return mutate(call, {
    ...update,
    operation: 'update',
    needsLookup: (authorization) => dependsOnRecord(entity, parsed) || authorization.writable(values).needsRecord,
    mayRunAgain: !hasHooks(entity, 'update'),
    run(attempt, found, version) {
      if (found) return changeFound(attempt, update, { found, version });
      const { where } = attempt.authorization.writable(values);
      return change(attempt, update, { values, where, version });
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
): Promise<EntityRecord | null> {
  const { call, authorization } = attempt;
  const { entity, parsed } = update;
  const { row } = found;
  const seen = await authorization.visible(row);
  assertUnchanged(parsed, seen);
  const writable = await authorization.writable(parsed.values as EntityValues).on({ row, seen });
  if (Object.keys(writable.values).length === 0) return found;
  // Another user chose a value that is sent back unchanged.
  const chosen = Object.entries(writable.values).filter(([name, value]) => value !== seen[name]);
  await assertReferences(call, entity, Object.fromEntries(chosen));
  return changeWithHooks(attempt, update, { writable, version, found });
}

async function changeWithHooks(
  attempt: Attempt,
  update: Update,
  {
    writable,
    version,
    found,
  }: { readonly writable: WritableChange; readonly version: number | undefined; readonly found: EntityRecord },
): Promise<EntityRecord | null> {
  const { call } = attempt;
  const { before, after, afterCommit } = update.entity.hooks;
  const previous = toStored(found.row);
  const addition = await before?.update?.({ record: previous, changes: writable.values }, hookContext(call));
  const { values, where } = addition
    ? await writable.confirm({ ...writable.values, ...(addition as EntityValues) })
    : writable;
  const changed = await change(attempt, update, { values, where, version });
  if (!changed) return null;
  const done = { record: toStored(changed.row), previous };
  await after?.update?.(done, hookContext(call));
  call.afterCommit?.push(() => afterCommit?.update?.(done, committedContext(call)));
  return changed;
}

interface Change extends Pick<WritableChange, 'values' | 'where'> {
  readonly version: number | undefined;
}

/** The row has to satisfy the condition at the very moment of the change. */
async function change(
  { call }: Attempt,
  { entity, id }: Update,
  { values, where, version }: Change,
): Promise<EntityRecord | null> {
  try {
    const change = { values: { ...values, updatedAt: call.now }, where, ...(version !== undefined && { version }) };
    return await call.stores.entities.update(entity.name, id, change, toCause(call));
  } catch (error) {
    throw toVisibleConflict(call, entity, error);
  }
}
