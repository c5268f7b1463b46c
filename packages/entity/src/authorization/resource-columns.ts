import { ConfigurationError } from '@x/errors';
import type { Entity } from '../definition/entity.ts';
import { type Grant, toGrantKey } from './operation-rule.ts';

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
interface PlacedGrant {
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
function toResourceType(entitlement: string): string {
  return entitlement.slice(0, entitlement.indexOf(':'));
}

/**
 * Finds where the rules of all entities check their entitlements: on the resource of the entitlement's type that the
 * record is or refers to. In an entity with a tenant, an entitlement of a type that it does not refer to is checked on
 * the caller's current tenant.
 *
 * @throws ConfigurationError with every rule whose entitlement can't be checked anywhere
 */
export function findResourceColumns(entities: ReadonlyMap<string, Entity>): ReadonlyMap<string, ResourceColumns> {
  const all = new Map([...entities.values()].map((entity) => [entity.name, findColumns(entity, entities)]));
  const problems = [...entities.values()].flatMap((entity) => [
    ...findProblems(entity, all.get(entity.name)),
    ...findLooseEnds(entity, all.get(entity.name)),
    ...findRevealingAccess(entity, all.get(entity.name)),
  ]);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return all;
}

function findColumns(entity: Entity, entities: ReadonlyMap<string, Entity>): ResourceColumns {
  const { model, resource } = entity;
  const byType = new Map<string, ResourceColumn>();
  // The parent takes precedence over other references, and the record itself over everything it refers to.
  const names = Object.keys(model.fields).toSorted((a, b) => Number(b === model.parent) - Number(a === model.parent));
  if (resource) byType.set(resource.type, { type: resource.type, column: 'id' });
  for (const column of names) {
    const referred = entities.get(model.fields[column]?.options.references ?? '')?.resource;
    if (referred && !byType.has(referred.type)) byType.set(referred.type, { type: referred.type, column });
  }
  const above = model.parent === null ? undefined : entities.get(model.fields[model.parent]?.options.references ?? '');
  const parent = above?.resource && model.parent ? { type: above.resource.type, column: model.parent } : null;
  const entitlements = Object.keys(entity.definition?.entitlements ?? {});
  const checkable = entitlements.filter((name) => {
    const place = byType.get(toResourceType(name));
    // The check would reveal a reference that not everybody may read.
    return place ? !entity.fieldRules.read.has(place.column) : entity.tenant !== undefined;
  });
  return { byType, parent, entitlements: new Set(checkable) };
}

function findProblems(entity: Entity, columns: ResourceColumns | undefined): readonly string[] {
  if (entity.tenant !== undefined) return [];
  const rules = [
    ...entity.rules,
    ...[...entity.compiledActions.values()]
      .filter(({ action }) => action.on === 'record')
      .map(({ name, rule }) => [name, rule] as const),
    ...[...entity.fieldRules.read].map(([name, rule]) => [`reading ${name}`, rule] as const),
    ...[...entity.fieldRules.write].map(([name, rule]) => [`writing ${name}`, rule] as const),
  ];
  return rules.flatMap(([name, { grants }]) =>
    grants
      .filter((grant) => grant.type === 'entitlement' && !columns?.byType.has(toResourceType(grant.entitlement)))
      .map(
        (grant) =>
          `${entity.name}, ${name}: \`${toGrantKey(grant)}\` can't be checked: a record is not a resource of its type, and does not refer to one.`,
      ),
  );
}

/** A cascading delete bypasses the hierarchy, so it would leave the resource's place and roles behind. */
function findLooseEnds({ name, model, resource }: Entity, columns: ResourceColumns | undefined): readonly string[] {
  if (!resource) return [];
  const cascading = Object.entries(model.fields).filter(([, { options }]) => options.onDelete === 'cascade');
  return cascading
    .filter(([field]) => field !== columns?.parent?.column)
    .map(([field]) => `${name}.${field}: cascade of a resource is only possible from the resource that is its parent.`);
}

/** A check that is part of every record would reveal a reference to callers who may not read it. */
function findRevealingAccess(
  { name, recordAccess, fieldRules }: Entity,
  columns: ResourceColumns | undefined,
): readonly string[] {
  const places = recordAccess.map((entitlement) => columns?.byType.get(toResourceType(entitlement))?.column ?? '');
  const revealing = new Set(places.filter((column) => fieldRules.read.has(column)));
  return [...revealing].map((column) => `${name}.recordAccess: would reveal ${column}, which has a read rule.`);
}
