import type { EntityRow } from '@x/store';
import type { CommittedContext, HookContext } from '../definition/entity-hooks.ts';
import type { Entity } from '../definition/entity.ts';
import type { Model, StoredRecordOf } from '../model/model.ts';
import type { Scope } from './scope.ts';

/** What is written to a record, as its hooks are named. */
type Write = 'create' | 'update' | 'delete';

/** Says whether an entity has a hook that a write has to call. */
export function hasHooks({ hooks }: Entity, write: Write): boolean {
  return Boolean(hooks.before?.[write] ?? hooks.after?.[write] ?? hooks.afterCommit?.[write]);
}

/** Hands a row to hooks: every column of the model is there. */
export function toStored(row: EntityRow): StoredRecordOf<Model> {
  return row as unknown as StoredRecordOf<Model>;
}

/** Builds what a hook inside the transaction works with. */
export function hookContext(scope: Scope): HookContext {
  return { ...committedContext(scope), stores: scope.stores };
}

/** Builds what a hook after the commit is told. */
export function committedContext({ actor }: Scope): CommittedContext {
  const { userId, tenantId } = actor.caller;
  return { caller: { userId, tenantId } };
}
