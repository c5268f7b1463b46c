import type { EntityRecord } from '@x/store';
import { authorizeOperation } from '../authorization/open-authorization.ts';
import { type Call, inTransaction, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { parseId } from '../record/find-record.ts';
import { committedContext, hasHooks, hookContext, toStored } from '../record/hooks.ts';
import { mutate, type RecordRequest } from '../record/mutate.ts';
import { deleteResource } from '../record/resource.ts';

/**
 * Deletes a record, along with those that cascade, and returns it as it was.
 *
 * @throws CodedError
 */
export async function deleteRecord(call: Call, entity: Entity, { id, ifMatch }: RecordRequest): Promise<EntityRecord> {
  authorizeOperation(call, entity, 'delete');
  const deletion = { entity, id: parseId(entity, id), ifMatch };
  const hooked = hasHooks(entity, 'delete');
  if (!hooked && !entity.resource) return runDelete(call, deletion);
  return inTransaction(call, (inside) => runDelete(inside, deletion), { retryable: !hooked });
}

interface Deletion extends RecordRequest {
  readonly entity: Entity;
}

function runDelete(call: Call, deletion: Deletion): Promise<EntityRecord> {
  const { entity, id } = deletion;
  const { before, after, afterCommit } = entity.hooks;
  return mutate(call, {
    ...deletion,
    operation: 'delete',
    needsLookup: (authorization) => hasHooks(entity, 'delete') || authorization.writable().needsRecord,
    mayRunAgain: !hasHooks(entity, 'delete'),
    async run({ authorization }, found, version) {
      const { where } = authorization.writable();
      if (found) await before?.delete?.(toStored(found.row), hookContext(call));
      const condition = { where, ...(version !== undefined && { version }) };
      const deleted = await call.stores.entities.delete(entity.name, id, condition, toCause(call));
      if (!deleted) return null;
      if (entity.resource) await deleteResource(call, { type: entity.resource.type, id });
      await after?.delete?.(toStored(deleted.row), hookContext(call));
      call.afterCommit?.push(() => afterCommit?.delete?.(toStored(deleted.row), committedContext(call)));
      return deleted;
    },
  });
}
