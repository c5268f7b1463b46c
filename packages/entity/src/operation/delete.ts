import type { EntityRecord } from '@x/store';
import { openAuthorization } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { parseId, type Target } from './get.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hooks.ts';
import { type IfMatch, mutate, type RecordRequest } from './mutate.ts';
import { detachResource } from './resource-tree.ts';
import { inTransaction, type Scope } from './scope.ts';

/**
 * Deletes a record, along with those that cascade, and returns it as it was.
 *
 * @throws CodedError
 */
export async function deleteRecord(
  scope: Scope,
  entity: Entity,
  { id, ifMatch }: RecordRequest,
): Promise<EntityRecord> {
  const authorization = openAuthorization(scope, entity, 'delete');
  const deletion = { entity, authorization, id: parseId(id), ifMatch };
  const retryable = !hasHooks(entity, 'delete');
  if (retryable && !entity.resource) return runDelete(scope, deletion);
  return inTransaction(
    scope,
    (inside) => runDelete(inside, { ...deletion, authorization: authorization.within(inside) }),
    { retryable },
  );
}

interface Deletion extends Target {
  readonly ifMatch: IfMatch;
}

function runDelete(scope: Scope, deletion: Deletion): Promise<EntityRecord> {
  const { entity, authorization, id } = deletion;
  const { before, after, afterCommit } = entity.hooks;
  const where = authorization.whereForWrite();
  return mutate(scope, {
    ...deletion,
    needsLookup: authorization.needsRecord() || hasHooks(entity, 'delete'),
    retryable: !hasHooks(entity, 'delete'),
    async run(_, found, version) {
      if (found) await before?.delete?.(toStored(found.row), hookContext(scope));
      const condition = { where, ...(version !== undefined && { version }) };
      const deleted = await scope.stores.entities.delete(entity.name, id, condition);
      if (!deleted) return null;
      await detachResource(scope, entity, id);
      await after?.delete?.(toStored(deleted.row), hookContext(scope));
      scope.afterCommit?.push(() => afterCommit?.delete?.(toStored(deleted.row), committedContext(scope)));
      return deleted;
    },
  });
}
