import { type EntityRow, type Resource, storeConflict, toUserId } from '@x/store';
import { all } from '@x/store/where';
import { parentResourceOf } from '../authorization/resource-columns.ts';
import { type Call, toCause } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { tooDeep } from './move.ts';
import { assertBelowOthers } from './other-parents.ts';
import { readRows } from './read-rows.ts';

/**
 * Makes sure that a resource whose id a caller has chosen is new. Otherwise they would take over one that has no record,
 * with all that is below it, or would bring back the roles that users once had on it.
 *
 * @throws CodedError `CONFLICT`
 */
export async function assertNewResource(call: Call, { resource }: Entity, { id }: EntityRow): Promise<void> {
  if (!resource || call.actor.type === 'system') return;
  const self: Resource = { type: resource.type, id };
  const { hierarchy, roleAssignments } = call.stores;
  const above = await hierarchy.ancestors(self);
  const below = await hierarchy.descendants(self);
  const roles = await roleAssignments.listByResource(self);
  if (above.length + below.length + roles.length > 0) throw storeConflict({ columns: ['id'] });
}

/** Places a new resource under its parent, and gives its creator the `creatorRole`. */
export async function attachResource(call: Call, entity: Entity, row: EntityRow): Promise<void> {
  const { stores, context, actor } = call;
  const { resource, name } = entity;
  if (!resource) return;
  const self: Resource = { type: resource.type, id: row.id };
  const parent = parentResourceOf(context.resourceColumns.get(name), row);
  if (parent && (await stores.hierarchy.attach({ child: self, parent }, toCause(call))) === 'too_deep') throw tooDeep();
  await assertBelowOthers(call, entity, row);
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
    for await (const { row } of readRows(stores, { entity, column: 'id', values: ids })) {
      await stores.entities.delete(entity.name, row.id, { where: all }, toCause(call));
    }
  }
}
