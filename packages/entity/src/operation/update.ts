import type { EntityRecord, EntityValues } from '@x/store';
import type { Authorization, FieldWrites } from '../authorization/authorization.ts';
import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged, type RecordInput } from '../model/record-input.ts';
import { toVisibleConflict } from './conflict.ts';
import { parseId, type Target } from './get.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hooks.ts';
import { type Attempt, type IfMatch, mutate, type RecordRequest } from './mutate.ts';
import { assertReferences, referencesIn } from './references.ts';
import { inTransaction, type Scope } from './scope.ts';

/**
 * Changes a record by a caller's input. The record before and after the change has to satisfy the rule of the
 * operation, and before the change also the rules of the fields that change. An empty change does nothing.
 *
 * @throws CodedError
 */
export async function updateRecord(
  scope: Scope,
  entity: Entity,
  { id, ifMatch }: RecordRequest,
  input: unknown,
): Promise<EntityRecord> {
  const authorization = openAuthorization(scope, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const update = { entity, authorization, parsed, id: parseId(id), ifMatch };
  if (!hasHooks(entity, 'update')) return runUpdate(scope, update);
  return inTransaction(scope, (inside) =>
    runUpdate(inside, { ...update, authorization: authorization.within(inside) }),
  );
}

interface Update extends Target {
  readonly parsed: RecordInput;
  readonly ifMatch: IfMatch;
}

function runUpdate(scope: Scope, update: Update): Promise<EntityRecord> {
  const { entity, authorization, parsed } = update;
  const values = parsed.values as EntityValues;
  return mutate(scope, {
    ...update,
    needsLookup: needsLookup(entity, authorization, parsed) || hasHooks(entity, 'update'),
    retryable: !hasHooks(entity, 'update'),
    run: (attempt, found, version) =>
      found
        ? changeFound(attempt, update, { found, version })
        : change(attempt, update, { values, rules: noRules, version }),
  });
}

/** Says whether a change depends on the record as it is, by more than the conditions of the statement. */
export function needsLookup({ model }: Entity, authorization: Authorization, { values, fixed }: RecordInput): boolean {
  const isEmpty = Object.keys(values).length === 0 || Object.keys(fixed).length > 0;
  return isEmpty || referencesIn(model, values).length > 0 || authorization.needsRecord(values as EntityValues);
}

const noRules: FieldWrites['rules'] = new Set();

/** Changes a record that was looked up, by what depends on it. */
async function changeFound(
  attempt: Attempt,
  update: Update,
  { found, version }: { readonly found: EntityRecord; readonly version: number | undefined },
): Promise<EntityRecord | null> {
  const { scope, authorization } = attempt;
  const { entity, parsed } = update;
  const { row } = found;
  const seen = await authorization.visible(row);
  assertUnchanged(parsed, seen);
  const writes = await authorization.writable(row, seen, parsed.values as EntityValues);
  if (Object.keys(writes.values).length === 0) return found;
  await authorization.authorizeChanged({ ...row, ...writes.values });
  // A value that is sent back unchanged was somebody else's choice.
  const chosen = Object.entries(writes.values).filter(([name, value]) => value !== seen[name]);
  await assertReferences(scope, entity, Object.fromEntries(chosen));
  return changeWithHooks(attempt, update, { ...writes, version, found });
}

interface Change extends FieldWrites {
  readonly version: number | undefined;
}

async function changeWithHooks(
  attempt: Attempt,
  update: Update,
  { values, rules, version, found }: Change & { readonly found: EntityRecord },
): Promise<EntityRecord | null> {
  const { scope, authorization } = attempt;
  const { before, after, afterCommit } = update.entity.hooks;
  const previous = toStored(found.row);
  const addition = await before?.update?.({ record: previous, changes: values }, hookContext(scope));
  const complete = { ...values, ...(addition as EntityValues | undefined) };
  if (addition) await authorization.authorizeChanged({ ...found.row, ...complete });
  const changed = await change(attempt, update, { values: complete, rules, version });
  if (!changed) return null;
  const done = { record: toStored(changed.row), previous };
  await after?.update?.(done, hookContext(scope));
  scope.afterCommit?.push(() => afterCommit?.update?.(done, committedContext(scope)));
  return changed;
}

/** The row has to satisfy the rules at the very moment of the change, both before and after it. */
async function change(
  { scope, authorization }: Attempt,
  { entity, id }: Update,
  { version, ...writes }: Change,
): Promise<EntityRecord | null> {
  try {
    return await scope.stores.entities.update(entity.name, id, {
      values: { ...writes.values, updatedAt: scope.now },
      where: authorization.whereForWrite(writes),
      ...(version !== undefined && { version }),
    });
  } catch (error) {
    throw toVisibleConflict(error, entity, authorization);
  }
}
