import { CodedError } from '@x/errors';
import { type EntityRow, type Resource, toUserId } from '@x/store';
import { isIn } from '@x/store/where';
import { type Call, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { defaultOrder } from '../query/parse-list-query.ts';

/** Places a new resource under its parent, and gives its creator the `creatorRole`. */
export async function attachResource(call: Call, entity: Entity, row: EntityRow): Promise<void> {
  const { stores, context, actor } = call;
  const { resource, model, name } = entity;
  if (!resource) return;
  const self: Resource = { type: resource.type, id: row.id };
  const above = context.resourceColumns.get(name)?.parent;
  const parentId = model.parent === null ? null : row[model.parent];
  if (above && typeof parentId === 'string') {
    const outcome = await stores.hierarchy.attach(
      { child: self, parent: { type: above.resourceType, id: parentId } },
      toCause(call),
    );
    if (outcome === 'too_deep') throw new CodedError('CONFLICT', 'The hierarchy would be too deep.');
  }
  const { creatorRole: role } = resource;
  if (role === undefined || actor.caller.userId === null) return;
  const userId = toUserId(actor.caller.userId);
  await stores.roleAssignments.assign({ userId, resource: self, role }, toCause(call));
}

/**
 * Deletes all that a resource has besides its own record: its place in the hierarchy, with everything that has no other
 * parent, the roles given there, and the records that did not cascade.
 */
export async function deleteResource(call: Call, resource: Resource): Promise<void> {
  const { stores, context } = call;
  const removed = await stores.hierarchy.removeSubtree(resource, toCause(call));
  for (const entity of context.entities.values()) {
    const ids = removed.filter(({ type }) => type === entity.resource?.type).map((each) => each.id);
    for (let start = 0; start < ids.length; start += batchSize) {
      const where = isIn('id', ids.slice(start, start + batchSize));
      const { records } = await stores.entities.list(entity.name, {
        where,
        order: defaultOrder,
        after: null,
        limit: batchSize,
      });
      for (const { row } of records) await stores.entities.delete(entity.name, row.id, { where }, toCause(call));
    }
  }
}

/** How many records are looked up at once. */
const batchSize = 500;
