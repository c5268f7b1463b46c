import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import { and } from '@x/store/where';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged, type RecordInput } from '../model/record-input.ts';
import type { OperationRule } from '../authorization/operation-rule.ts';
import { assertReferences, referencesIn } from './references.ts';
import { admit, isJudged, toPermitted, toWholeCondition } from '../authorization/decide.ts';
import { needsFieldJudge, toFieldWrites } from '../authorization/field-writes.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hooks.ts';
import { type IfMatch, mutate } from './mutate.ts';
import { judge } from '../authorization/judge.ts';
import { parseId } from './find-record.ts';
import { toPostCondition } from '../authorization/post-condition.ts';
import { outOfReach } from '../authorization/refusals.ts';
import { inTransaction, type Scope } from './scope.ts';
import { toVisibleRow } from '../authorization/visible-rows.ts';

/** Which record a caller changes, and which versions of it. */
export interface RecordRequest {
  readonly id: string;
  readonly ifMatch: IfMatch;
}

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
  const rule = admit(scope, entity, 'update');
  const parsed = entity.parseUpdate(input);
  const update = { entity, rule, parsed, id: parseId(id), ifMatch };
  return hasHooks(entity, 'update')
    ? inTransaction(scope, (inside) => runUpdate(inside, update))
    : runUpdate(scope, update);
}

interface Update extends RecordRequest {
  readonly entity: Entity;
  readonly rule: ReturnType<typeof admit>;
  readonly parsed: RecordInput;
}

function runUpdate(scope: Scope, update: Update): Promise<EntityRecord> {
  const { entity, rule, parsed } = update;
  const values = parsed.values as EntityValues;
  const isEmpty = Object.keys(values).length === 0;
  const needsLookup =
    isEmpty ||
    Object.keys(parsed.fixed).length > 0 ||
    referencesIn(entity.model, values).length > 0 ||
    needsFieldJudge(scope, entity, values) ||
    isJudged(scope, entity, rule) ||
    hasHooks(entity, 'update');
  return mutate(scope, {
    ...update,
    needsLookup,
    isRepeatable: !hasHooks(entity, 'update'),
    async run(found, version, asking) {
      if (!found) return change(asking, update, { values, rules: none, version });
      const { row } = found;
      const seen = await toVisibleRow(asking, entity, row);
      assertUnchanged(parsed, seen);
      const writes = await toFieldWrites(asking, { entity, row }, { values, seen });
      if (Object.keys(writes.values).length === 0) return found;
      await assertAllowed(asking, update, { ...row, ...writes.values });
      await assertReferences(asking, entity, toChanged(writes.values, seen));
      return changeWithHooks(asking, update, { ...writes, version, found });
    },
  });
}

/** A value that is sent back unchanged was somebody else's choice. */
function toChanged(values: EntityValues, row: EntityRow): EntityValues {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== row[name]));
}

async function assertAllowed(scope: Scope, { entity, rule }: Update, row: EntityRow): Promise<void> {
  if (!(await judge(scope, rule, { entity, row })).allowed) throw outOfReach();
}

interface Change {
  readonly values: EntityValues;
  /** The rules of the fields that change. */
  readonly rules: ReadonlySet<OperationRule>;
  readonly version: number | undefined;
}

/** The row has to satisfy the rules at the very moment of the change, both before and after it. */
function change(
  scope: Scope,
  { entity, rule, id }: Update,
  { values, rules, version }: Change,
): Promise<EntityRecord | null> {
  const { permitted, where } = toPermitted(scope, entity, rule);
  const ofFields = [...rules].map((each) => toWholeCondition(scope, entity, each));
  return scope.stores.entities.update(entity.name, id, {
    values: { ...values, updatedAt: scope.now },
    where: and(where, toPostCondition(permitted, values), ...ofFields),
    ...(version !== undefined && { version }),
  });
}

const none: ReadonlySet<OperationRule> = new Set();

async function changeWithHooks(
  scope: Scope,
  update: Update,
  { values, rules, version, found }: Change & { readonly found: EntityRecord },
): Promise<EntityRecord | null> {
  const { before, after, afterCommit } = update.entity.hooks;
  const previous = toStored(found.row);
  const addition = await before?.update?.({ record: previous, changes: values }, hookContext(scope));
  const complete = { ...values, ...(addition as EntityValues | undefined) };
  if (addition) await assertAllowed(scope, update, { ...found.row, ...complete });
  const changed = await change(scope, update, { values: complete, rules, version });
  if (!changed) return null;
  const done = { record: toStored(changed.row), previous };
  await after?.update?.(done, hookContext(scope));
  scope.commits?.push(() => afterCommit?.update?.(done, committedContext(scope)));
  return changed;
}
