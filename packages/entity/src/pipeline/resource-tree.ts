import { CodedError } from '@x/errors';
import type { EntityRow, Resource, UserId, Where } from '@x/store';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder } from '../query/parse-order.ts';
import type { Scope } from './scope.ts';

/** Puts a new resource under its parent, and gives its creator the role that they have on it. */
export async function plantResource({ stores, context, actor }: Scope, entity: Entity, row: EntityRow): Promise<void> {
  const { resource, model, name } = entity;
  if (!resource) return;
  const self: Resource = { type: resource.type, id: row.id };
  const above = context.grantColumns.get(name)?.parent;
  const parentId = model.parent === null ? null : row[model.parent];
  if (above && typeof parentId === 'string') {
    const outcome = await stores.closure.attach(self, { type: above.type, id: parentId });
    if (outcome === 'too_deep') throw new CodedError('CONFLICT', 'The hierarchy would be too deep.');
  }
  const { userId } = actor.caller;
  if (resource.creatorRole === undefined || userId === null) return;
  // The one place that turns the id of a caller into that of the stores.
  await stores.roleAssignments.assign({ userId: userId as UserId, resource: self, role: resource.creatorRole });
}

/**
 * Removes a resource that is gone, and all that is only below it: the roles that are held there, and the records that have
 * not gone with it by their references.
 */
export async function uprootResource({ stores, context }: Scope, { resource }: Entity, id: string): Promise<void> {
  if (!resource) return;
  const removed = await stores.closure.removeSubtree({ type: resource.type, id });
  for (const entity of context.entities.values()) {
    const ids = removed.filter(({ type }) => type === entity.resource?.type).map((each) => each.id);
    for (let start = 0; start < ids.length; start += batchSize) {
      const where: Where = { type: 'in', column: 'id', values: ids.slice(start, start + batchSize) };
      const left = await stores.entities.list(entity.name, {
        where,
        order: defaultOrder,
        after: null,
        limit: batchSize,
      });
      for (const { row } of left) await stores.entities.delete(entity.name, row.id, { where });
    }
  }
}

/** How many records are looked for at once. */
const batchSize = 500;
