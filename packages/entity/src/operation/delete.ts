import type { EntityRecord } from '@x/store';
import { authorizeOperation } from '../authorization/open-authorization.ts';
import type { Entity } from '../definition/entity.ts';
import { parseId } from '../record/find-record.ts';
import { committedContext, hasHooks, hookContext, toStored } from '../record/hooks.ts';
import { mutate, type RecordRequest } from '../record/mutate.ts';
import { deleteResource } from '../record/resource.ts';
import { inTransaction, type Scope } from '../call/scope.ts';

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
  authorizeOperation(scope, entity, 'delete');
  const deletion = { entity, id: parseId(id), ifMatch };
  const retryable = !hasHooks(entity, 'delete');
  if (retryable && !entity.resource) return runDelete(scope, deletion);
  return inTransaction(scope, (inside) => runDelete(inside, deletion), { retryable });
}

interface Deletion extends RecordRequest {
  readonly entity: Entity;
}

function runDelete(scope: Scope, deletion: Deletion): Promise<EntityRecord> {
  const { entity, id } = deletion;
  const { before, after, afterCommit } = entity.hooks;
  return mutate(scope, {
    ...deletion,
    operation: 'delete',
    needsLookup: (authorization) => hasHooks(entity, 'delete') || authorization.writable().needsRecord,
    retryable: !hasHooks(entity, 'delete'),
    async run({ authorization }, found, version) {
      const { where } = authorization.writable();
      if (found) await before?.delete?.(toStored(found.row), hookContext(scope));
      const condition = { where, ...(version !== undefined && { version }) };
      const deleted = await scope.stores.entities.delete(entity.name, id, condition);
      if (!deleted) return null;
      if (entity.resource) await deleteResource(scope, { type: entity.resource.type, id });
      await after?.delete?.(toStored(deleted.row), hookContext(scope));
      scope.afterCommit?.push(() => afterCommit?.delete?.(toStored(deleted.row), committedContext(scope)));
      return deleted;
    },
  });
}
