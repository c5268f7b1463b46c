import { CodedError } from '@x/errors';
import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged, toNewRecord } from '../model/record-input.ts';
import { assertParent, assertReferences } from './references.ts';
import { admit } from '../authorization/decide.ts';
import { assertChosen } from '../authorization/field-writes.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hooks.ts';
import { type Granted, holdsWith, nothingGranted } from '../authorization/judge.ts';
import { denied, outOfReach, unauthenticated } from '../authorization/refusals.ts';
import { plantResource } from './resource-tree.ts';
import { inTransaction, type Scope } from './scope.ts';
import { consumeNeeded, planUse, type Use } from '../authorization/use-grants.ts';
import { toVisibleRow } from '../authorization/visible-rows.ts';

/**
 * Creates a record from a caller's input. The resulting record, including server values, has to satisfy the rule of the
 * operation and those of the fields that the caller chose, and the caller must be able to see its parent. In the same
 * transaction, limited entitlements are consumed and a resource is placed below its parent.
 *
 * @throws CodedError
 */
export async function createRecord(scope: Scope, entity: Entity, input: unknown): Promise<EntityRecord> {
  const rule = admit(scope, entity, 'create');
  const parsed = entity.parseCreate(input);
  const { now, actor } = scope;
  const row = toNewRecord(entity.model, parsed, { caller: actor.caller, now, randomUuid: () => crypto.randomUUID() });
  if (Object.keys(parsed.fixed).length > 0) assertUnchanged(parsed, await toVisibleRow(scope, entity, row, true));
  const creation = { entity, rule, row, values: parsed.values as EntityValues };
  const isOneStep = !hasHooks(entity, 'create') && !entity.resource && !rule?.grants.length;
  if (isOneStep) return runCreate(scope, creation);
  return inTransaction(scope, (inside) => runCreate(inside, creation), { retryable: !hasHooks(entity, 'create') });
}

interface Creation {
  readonly entity: Entity;
  readonly rule: ReturnType<typeof admit>;
  readonly row: EntityRow;
  /** The values that the caller chose. */
  readonly values: EntityValues;
}

async function runCreate(scope: Scope, creation: Creation): Promise<EntityRecord> {
  const { entity, row } = creation;
  const { before, after, afterCommit } = entity.hooks;
  if (!before?.create) assertComplete(scope, entity, row);
  // No hook runs for a record that could not be created.
  await assertParent(scope, entity, row);
  const { granted, needed } = await assertMay(scope, creation);
  await assertChosen(scope, { entity, row, isNew: true }, creation.values);
  await assertReferences(scope, entity, creation.values);
  const addition = await before?.create?.(toStored(row), hookContext(scope));
  const complete = { ...row, ...addition } as EntityRow;
  if (before?.create) assertComplete(scope, entity, complete);
  if (addition) assertStillMay(scope, { ...creation, row: complete }, granted);
  const created = await insert(scope, entity, complete);
  await plantResource(scope, entity, created.row);
  await consumeNeeded(scope, needed, { entity, row, isNew: true });
  await after?.create?.(toStored(created.row), hookContext(scope));
  scope.commits?.push(() => afterCommit?.create?.(toStored(created.row), committedContext(scope)));
  return created;
}

/**
 * Decides whether the caller may create the record, and returns the grants that were checked. Later refusals rely only
 * on these.
 */
async function assertMay(scope: Scope, { entity, rule, row }: Creation): Promise<Pick<Use, 'granted' | 'needed'>> {
  if (!rule) return nothingUsed;
  const subject = { entity, row, isNew: true };
  if (rule.grants.length === 0) {
    if (!holdsWith(scope, rule, { subject, granted: nothingGranted })) throw outOfReach();
    return nothingUsed;
  }
  const use = await planUse(scope, rule, subject);
  if (use.verdict.allowed) return use;
  throw use.verdict.isRowRefused ? outOfReach() : denied(use.verdict);
}

const nothingUsed = { granted: nothingGranted, needed: [] };

/** A hook may have changed what the rule depends on. Grants are not checked again. */
function assertStillMay(scope: Scope, { entity, rule, row }: Creation, granted: Granted): void {
  if (rule && !holdsWith(scope, rule, { subject: { entity, row, isNew: true }, granted })) throw outOfReach();
}

/** The server may have no value for this caller: somebody who is not signed in owns nothing. */
function assertComplete({ actor }: Scope, { model, resource }: Entity, row: EntityRow): void {
  const lacks = [...model.allFields].some(
    ([name, { options }]) => options.serverValue && !options.nullable && (row[name] ?? null) === null,
  );
  const isOwnerless = resource?.creatorRole !== undefined && actor.type === 'caller' && actor.caller.userId === null;
  if (lacks || isOwnerless) throw actor.caller.userId === null ? unauthenticated() : outOfReach();
}

/** If the parent has been deleted meanwhile, it counts as one that the caller can't see. */
async function insert(scope: Scope, entity: Entity, row: EntityRow): Promise<EntityRecord> {
  try {
    return await scope.stores.entities.create(entity.name, row);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'CONFLICT') await assertParent(scope, entity, row);
    throw error;
  }
}
