import { CodedError, unauthenticated } from '@x/errors';
import type { EntityRecord, EntityRow, EntityValues } from '@x/store';
import type { CreateAuthorization } from '../authorization/authorization.ts';
import { recordNotWritable } from '../authorization/errors.ts';
import { openCreateAuthorization } from '../authorization/open-authorization.ts';
import { type Call, inTransaction, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged, type InputSource, toNewRecord } from '../model/record-input.ts';
import { toVisibleConflict } from '../record/conflict.ts';
import { committedContext, hasHooks, hookContext, toStored } from '../record/hooks.ts';
import { assertSomeParent } from '../record/other-parents.ts';
import { assertParent, assertReferences } from '../record/references.ts';
import { assertNewResource, attachResource } from '../record/resource.ts';

/**
 * Creates a record from a caller's input. The resulting record, including server values, has to satisfy the rule of the
 * operation and those of the fields that the caller chose, and the caller must be able to see its parent. In the same
 * transaction, limited entitlements are consumed and a resource is placed below its parent.
 *
 * @param source - default: the caller, or the app itself
 * @throws CodedError
 */
export async function createRecord(
  call: Call,
  entity: Entity,
  input: unknown,
  source: InputSource = call.actor.type,
): Promise<EntityRecord> {
  const authorization = openCreateAuthorization(call, entity);
  const parsed = entity.parseCreate(input, source);
  const { now, actor } = call;
  const row = toNewRecord(entity.model, parsed, { caller: actor.caller, now, randomUuid: () => crypto.randomUUID() });
  if (Object.keys(parsed.fixed).length > 0) assertUnchanged(parsed, await authorization.visible(row));
  const creation = { entity, authorization, row, values: parsed.values as EntityValues };
  const isOneStep = !hasHooks(entity, 'create') && !entity.resource && !authorization.mayConsume;
  if (isOneStep) return runCreate(call, creation);
  return inTransaction(
    call,
    (inside) => runCreate(inside, { ...creation, authorization: openCreateAuthorization(inside, entity) }),
    { retryable: !hasHooks(entity, 'create') },
  );
}

interface Creation {
  readonly entity: Entity;
  readonly authorization: CreateAuthorization;
  readonly row: EntityRow;
  /** The values that the caller chose. */
  readonly values: EntityValues;
}

async function runCreate(call: Call, { entity, authorization, row, values }: Creation): Promise<EntityRecord> {
  const { before, after, afterCommit } = entity.hooks;
  if (!before?.create) assertComplete(call, entity, row);
  // No hook runs for a record that could not be created.
  await assertParent(call, entity, row);
  const permit = await authorization.authorize(row, values);
  if (Object.hasOwn(values, 'id')) await assertNewResource(call, entity, row);
  await assertReferences(call, entity, { values, row });
  const addition = await before?.create?.(toStored(row), hookContext(call));
  const complete = { ...row, ...addition } as EntityRow;
  if (before?.create) assertComplete(call, entity, complete);
  // A hook may have changed what the rule depends on.
  if (addition) permit.confirm(complete);
  const created = await insert(call, entity, complete);
  await attachResource(call, entity, created.row);
  await permit.consume();
  await after?.create?.(toStored(created.row), hookContext(call));
  call.afterCommit?.push(() => afterCommit?.create?.(toStored(created.row), committedContext(call)));
  return created;
}

/** A parent may be missing, or the server may have no value for this caller: an anonymous caller owns nothing. */
export function assertComplete({ actor }: Call, { model, resource }: Entity, row: EntityRow): void {
  assertSomeParent(model, row);
  const lacks = [...model.allFields].some(
    ([name, { options }]) => options.serverValue && !options.nullable && (row[name] ?? null) === null,
  );
  const isOwnerless = resource?.creatorRole !== undefined && actor.type === 'caller' && actor.caller.userId === null;
  if (lacks || isOwnerless) throw actor.caller.userId === null ? unauthenticated() : recordNotWritable();
}

/** If the parent has been deleted meanwhile, it counts as one that the caller can't see. */
async function insert(call: Call, entity: Entity, row: EntityRow): Promise<EntityRecord> {
  try {
    return await call.stores.entities.create(entity.name, row, toCause(call));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'CONFLICT') await assertParent(call, entity, row);
    throw toVisibleConflict(call, entity, error);
  }
}
