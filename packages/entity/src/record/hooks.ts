import type { EntityRow } from '@x/store';
import type { Call } from '../call/call.ts';
import type { CommittedContext, HookContext } from '../definition/entity-hooks.ts';
import type { Entity } from '../definition/entity.ts';
import type { Model, StoredRecordOf } from '../model/model.ts';

/** The kinds of writes, as hooks are named after them. */
type Write = 'create' | 'update' | 'delete';

/** Says whether an entity has a hook for a kind of write. */
export function hasHooks({ hooks }: Entity, write: Write): boolean {
  return Boolean(hooks.before?.[write] ?? hooks.after?.[write] ?? hooks.afterCommit?.[write]);
}

/** Converts a row for hooks: with every field of the model. */
export function toStored(row: EntityRow): StoredRecordOf<Model> {
  return row as unknown as StoredRecordOf<Model>;
}

/** Builds the context of a hook inside the transaction. */
export function hookContext(call: Call): HookContext {
  return { ...committedContext(call), stores: call.stores, access: call.access() };
}

/** Builds the context of a hook after the commit. */
export function committedContext({ context, actor, now }: Call): CommittedContext {
  const { userId, tenantId } = actor.caller;
  return { caller: { userId, tenantId }, now, stores: context.stores };
}
