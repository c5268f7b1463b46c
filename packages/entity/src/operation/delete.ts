import type { EntityRecord } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { admit, isJudged, toPermitted } from '../authorization/decide.ts';
import { committedContext, hasHooks, hookContext, toStored } from './hooks.ts';
import { parseId } from './find-record.ts';
import { mutate } from './mutate.ts';
import { uprootResource } from './resource-tree.ts';
import { inTransaction, type Scope } from './scope.ts';
import type { RecordRequest } from './update.ts';

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
  const rule = admit(scope, entity, 'delete');
  const deletion = { entity, rule, id: parseId(id), ifMatch };
  const retryable = !hasHooks(entity, 'delete');
  if (retryable && !entity.resource) return runDelete(scope, deletion);
  return inTransaction(scope, (inside) => runDelete(inside, deletion), { retryable });
}

interface Deletion extends RecordRequest {
  readonly entity: Entity;
  readonly rule: ReturnType<typeof admit>;
}

function runDelete(scope: Scope, deletion: Deletion): Promise<EntityRecord> {
  const { entity, rule, id } = deletion;
  const { before, after, afterCommit } = entity.hooks;
  const { where } = toPermitted(scope, entity, rule);
  return mutate(scope, {
    ...deletion,
    needsLookup: isJudged(scope, entity, rule) || hasHooks(entity, 'delete'),
    isRepeatable: !hasHooks(entity, 'delete'),
    async run(found, version) {
      if (found) await before?.delete?.(toStored(found.row), hookContext(scope));
      const condition = { where, ...(version !== undefined && { version }) };
      const deleted = await scope.stores.entities.delete(entity.name, id, condition);
      if (!deleted) return null;
      await uprootResource(scope, entity, id);
      await after?.delete?.(toStored(deleted.row), hookContext(scope));
      scope.commits?.push(() => afterCommit?.delete?.(toStored(deleted.row), committedContext(scope)));
      return deleted;
    },
  });
}
