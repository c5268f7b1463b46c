import type { EntityRecord, EntityRow } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { assertUnchanged } from '../input/assert-unchanged.ts';
import { toNewRecord } from '../input/to-new-record.ts';
import { admit, judge, toCondition } from './decide.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hook-calls.ts';
import { outOfReach, unauthenticated } from './refusals.ts';
import { inTransaction, type Scope } from './scope.ts';

/**
 * Creates a record of what a caller sent. The record that comes of it, server values and all, has to satisfy the rule, and
 * its parent has to be one that the caller can see.
 *
 * @throws CodedError
 */
export async function createRecord(scope: Scope, entity: Entity, input: unknown): Promise<EntityRecord> {
  const rule = admit(scope, entity, 'create');
  const parsed = entity.parseCreate(input);
  const { now, actor } = scope;
  const row = toNewRecord(entity.model, parsed, { caller: actor.caller, now, randomUuid: () => crypto.randomUUID() });
  assertUnchanged(parsed, row);
  if (hasHooks(entity, 'create'))
    return inTransaction(scope, (inside) => createWithHooks(inside, { entity, rule, row }));
  return insert(scope, { entity, rule, row });
}

interface Creation {
  readonly entity: Entity;
  readonly rule: ReturnType<typeof admit>;
  readonly row: EntityRow;
}

async function insert(scope: Scope, { entity, rule, row }: Creation): Promise<EntityRecord> {
  assertComplete(scope, entity, row);
  if (!judge(scope, rule, row).allowed) throw outOfReach();
  await assertParent(scope, entity, row);
  return scope.stores.entities.create(entity.name, row);
}

async function createWithHooks(scope: Scope, creation: Creation): Promise<EntityRecord> {
  const { before, after, afterCommit } = creation.entity.hooks;
  const { row } = creation;
  // Nothing of the app's runs for a record that could not be made.
  if (!judge(scope, creation.rule, row).allowed) throw outOfReach();
  const addition = await before?.create?.(toStored(row), hookContext(scope));
  const created = await insert(scope, { ...creation, row: { ...row, ...addition } as EntityRow });
  await after?.create?.(toStored(created.row), hookContext(scope));
  scope.commits?.push(() => afterCommit?.create?.(toStored(created.row), committedContext(scope)));
  return created;
}

/** The server may have no value for whoever calls: nobody who is not signed in owns anything. */
function assertComplete({ actor }: Scope, { model }: Entity, row: EntityRow): void {
  const lacks = [...model.allFields].some(
    ([name, { options }]) => options.serverValue && !options.nullable && (row[name] ?? null) === null,
  );
  if (lacks) throw actor.caller.userId === null ? unauthenticated() : outOfReach();
}

/** A parent that is not there and one that the caller can't see are the same to them. */
async function assertParent(scope: Scope, { model }: Entity, row: EntityRow): Promise<void> {
  const parent = model.parent === null ? undefined : model.fields[model.parent];
  const id = model.parent === null ? null : row[model.parent];
  const entity = parent?.options.references && scope.context.entities.get(parent.options.references);
  if (!entity || typeof id !== 'string' || scope.actor.type === 'system') return;
  const rule = entity.rules.get('get') ?? entity.rules.get('list');
  const found = await scope.stores.entities.get(entity.name, id, toCondition(scope, rule?.predicate));
  if (!found) throw outOfReach();
}
