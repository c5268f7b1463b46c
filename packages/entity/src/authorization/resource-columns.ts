import type { Grant } from './operation-rule.ts';

/** The resource that an entitlement is checked on: its type, and the field of the record with its id. */
export interface ResourceColumn {
  readonly type: string;
  readonly column: string;
}

/** Where the entitlements in an entity's rules are checked; `findResourceColumns` finds it. */
export interface ResourceColumns {
  /** By the type in the name of an entitlement: the record itself, or what it refers to. */
  readonly byType: ReadonlyMap<string, ResourceColumn>;
  /** The parent of a new record, on which entitlements of its own type are checked before it exists. */
  readonly parent: ResourceColumn | null;
  /** All entitlements that callers can have checked on an existing record. */
  readonly entitlements: ReadonlySet<string>;
}

/** A grant of a rule, and the records that it is checked on. */
export interface PlacedGrant {
  readonly grant: Grant;
  /** Whether the records do not exist yet. */
  readonly isNew: boolean;
}

/**
 * Returns where a grant is checked; null for the caller's current tenant, undefined if a new record has no such
 * resource yet.
 */
export function columnOf(
  resource: { readonly type: string } | undefined,
  columns: ResourceColumns | undefined,
  { grant, isNew }: PlacedGrant,
): ResourceColumn | null | undefined {
  if (grant.type === 'resourceRole') return isNew || !resource ? undefined : { type: resource.type, column: 'id' };
  const type = toResourceType(grant.entitlement);
  if (isNew && type === resource?.type) return columns?.parent ?? null;
  return columns?.byType.get(type) ?? null;
}

/** Returns the type of resource that an entitlement is checked on: `task` of `task:read`. */
export function toResourceType(entitlement: string): string {
  return entitlement.slice(0, entitlement.indexOf(':'));
}
