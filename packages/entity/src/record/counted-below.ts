import type { EntityRecord, Resource } from '@x/store';
import { denialError } from '../authorization/errors.ts';
import { locateRequirementOfNew, resourceAt } from '../authorization/resource-columns.ts';
import { type Call, renewCall } from '../call/call.ts';
import type { Entity } from '../definition/entity.ts';
import { readRows } from './read-rows.ts';

/** A resource that gets another place. */
interface Relocation {
  readonly self: Resource;
  /** The resource that it is right below; null if there is none. */
  readonly old: Resource | null;
  readonly next: Resource | null;
}

/** Records that consumed an entitlement when they were created, all in one tenant. */
interface Counted {
  readonly entitlement: string;
  /** Where one of them consumed it. */
  readonly resource: Resource;
  /** When each consumed it. */
  readonly consumedAt: readonly Date[];
}

/**
 * Moves a resource by `move`. If a caller moves it into another tenant, what the records below it consumed when they
 * were created is given back to the old tenant, and consumed in the new one, as if the caller had created them there.
 *
 * @throws CodedError `FORBIDDEN` if the caller could not create them all there; the same as `move`
 */
export async function moveWithCounted(call: Call, change: Relocation, move: () => Promise<void>): Promise<void> {
  const counted = await findCountedBelow(call, change);
  for (const { entitlement, resource, consumedAt } of counted) {
    await call.access().unconsume(entitlement, resource, { consumedAt });
  }
  await move();
  const access = renewCall(call).access();
  for (const { entitlement, resource, consumedAt } of counted) {
    const { allowed, reasons, meta } = await access.consume(entitlement, resource, { amount: consumedAt.length });
    if (allowed) continue;
    throw denialError({ reasons, meta: { ...meta, ...(meta?.limit && { needed: consumedAt.length }) } });
  }
}

/** Finds what records below a resource consumed; nothing if it stays in its tenant, or the app itself moves it. */
async function findCountedBelow(call: Call, { self, old, next }: Relocation): Promise<readonly Counted[]> {
  const limited = call.actor.type === 'caller' ? listLimited(call) : [];
  if (limited.length === 0) return [];
  const { records } = call.access();
  if ((old && (await records.tenantOf(old))) === (next && (await records.tenantOf(next)))) return [];
  const within = [self, ...(await call.stores.hierarchy.descendants(self)).map((below) => below.resource)];
  const counted: Counted[] = [];
  for (const each of limited) counted.push(...(await findCounted(call, each, within)));
  return counted;
}

/** An entity whose records consume entitlements with limits when they are created. */
interface LimitedEntity {
  readonly entity: Entity;
  readonly entitlements: readonly string[];
}

function listLimited({ context }: Call): readonly LimitedEntity[] {
  const limits = Object.values(context.access.definition.plans ?? {}).flatMap((plan) =>
    Object.values(plan.limits ?? {}),
  );
  const limited: ReadonlySet<string> = new Set(limits.map(({ gates }) => gates));
  return [...context.entities.values()].flatMap((entity) => {
    const requirements = entity.rules.get('create')?.requirements ?? [];
    const entitlements = requirements.flatMap((each) => (each.type === 'entitlement' ? [each.entitlement] : []));
    const counting = entitlements.filter((each) => limited.has(each));
    return counting.length > 0 ? [{ entity, entitlements: counting }] : [];
  });
}

/** Finds what records of an entity consumed on a resource, or on one below it. */
async function findCounted(
  call: Call,
  { entity, entitlements }: LimitedEntity,
  within: readonly Resource[],
): Promise<readonly Counted[]> {
  const columns = call.context.resourceColumns.get(entity.name);
  const keys = new Set(within.map(toKey));
  const found = new Map<string, { readonly resource: Resource; readonly consumedAt: Date[] }>();
  for await (const { row } of recordsBelow(call, entity, within)) {
    const { createdAt } = row;
    for (const entitlement of entitlements) {
      const location = locateRequirementOfNew(columns, { type: 'entitlement', entitlement }, row);
      const resource = location.type === 'column' ? resourceAt(location, row) : null;
      if (!resource || !keys.has(toKey(resource)) || !(createdAt instanceof Date)) continue;
      const counted = found.get(entitlement) ?? { resource, consumedAt: [] };
      counted.consumedAt.push(createdAt);
      found.set(entitlement, counted);
    }
  }
  return Array.from(found, ([entitlement, counted]) => ({ entitlement, ...counted }));
}

function toKey({ type, id }: Resource): string {
  return `${type}:${id}`;
}

/** Reads the records of an entity that are resources below the first one, or right below one of them. */
function recordsBelow(
  { context, stores }: Call,
  entity: Entity,
  within: readonly Resource[],
): AsyncIterable<EntityRecord> {
  const { name, resource } = entity;
  const [parent] = context.resourceColumns.get(name)?.parents ?? [];
  const [column, type] = resource ? ['id', resource.type] : [parent?.column ?? 'id', parent?.resource?.resourceType];
  const ids = (resource ? within.slice(1) : within).filter((each) => each.type === type).map(({ id }) => id);
  return readRows(stores, { entity, column, values: ids });
}
