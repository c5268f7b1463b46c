import { CodedError } from '@x/errors';
import type { EntityRow, Resource } from '@x/store';
import { isIn } from '@x/store/where';
import { parentResourceOf } from '../authorization/resource-columns.ts';
import type { Call } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';

/** A record of an entity, before it moves and after. */
interface Moving {
  readonly entity: Entity;
  readonly from: EntityRow;
  readonly to: EntityRow;
}

/**
 * Refuses a caller's move into another tenant if anything below the record counts toward a limit: it was consumed where
 * it is, and would be free where it goes.
 *
 * @throws CodedError `CONFLICT`
 */
export async function assertNothingCounted(call: Call, { entity, from, to }: Moving): Promise<void> {
  const { resource, name } = entity;
  const counted = call.actor.type === 'caller' && resource ? listCounted(call) : [];
  if (!resource || counted.length === 0) return;
  const columns = call.context.resourceColumns.get(name);
  const { records } = call.access();
  const [old, next] = [parentResourceOf(columns, from), parentResourceOf(columns, to)];
  if ((old && (await records.tenantOf(old))) === (next && (await records.tenantOf(next)))) return;
  const self = { type: resource.type, id: to.id };
  const within = [self, ...(await call.stores.hierarchy.descendants(self)).map((below) => below.resource)];
  for (const each of counted) if (await hasAny(call, each, within)) throw isCounted(each);
}

/** Lists the entities whose records consume a limit when they are created. */
function listCounted({ context }: Call): readonly Entity[] {
  const limits = Object.values(context.access.definition.plans ?? {}).flatMap((plan) =>
    Object.values(plan.limits ?? {}),
  );
  const limited: ReadonlySet<string> = new Set(limits.map(({ gates }) => gates));
  return [...context.entities.values()].filter(({ rules }) =>
    rules.get('create')?.requirements.some((each) => each.type === 'entitlement' && limited.has(each.entitlement)),
  );
}

/** Says whether there are records of an entity among resources, but for the first one, or right below one of them. */
async function hasAny(call: Call, { name, resource }: Entity, within: readonly Resource[]): Promise<boolean> {
  if (resource) return within.slice(1).some(({ type }) => type === resource.type);
  for (const { column, resource: parent } of call.context.resourceColumns.get(name)?.parents ?? []) {
    const ids = within.filter(({ type }) => type === parent?.resourceType).map(({ id }) => id);
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = isIn(column, ids.slice(start, start + batchSize));
      if ((await call.stores.entities.count(name, some)) > 0) return true;
    }
  }
  return false;
}

/** How many parents one statement looks below. */
const batchSize = 500;

function isCounted({ name }: Entity): CodedError {
  return new CodedError('CONFLICT', `Records of ${name} below it count toward limits of the tenant: it stays there.`);
}
