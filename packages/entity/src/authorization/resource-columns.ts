import type { AccessDefinition } from '@x/access';
import { resourceTypeOf } from '@x/access/rule';
import { ConfigurationError } from '@x/errors';
import type { EntityRow, Resource } from '@x/store';
import type { Model } from '../model/model.ts';
import { type FieldRules, type Requirement, type OperationRule, toRequirementKey } from './operation-rule.ts';

/**
 * A column with the id of a resource on which requirements are checked: that of the record itself, or of a reference.
 */
export interface ResourceColumn {
  readonly type: 'column';
  readonly resourceType: string;
  readonly column: string;
}

/**
 * Where a requirement is checked: on a resource, on the caller's current tenant, or nowhere, so that no caller
 * satisfies it.
 */
export type RequirementLocation = ResourceColumn | { readonly type: 'tenant' } | { readonly type: 'nowhere' };

/** A reference to a parent, and the type of resource that its records are; null if they are none. */
interface ParentColumn {
  readonly column: string;
  readonly resource: ResourceColumn | null;
}

/** Where the requirements in an entity's rules are checked; `findResourceColumns` finds it. */
export interface ResourceColumns {
  /** The record itself, if it is a resource. */
  readonly own: ResourceColumn | null;
  /** By the type in the name of an entitlement: the record itself, or a record that it refers to. */
  readonly byType: ReadonlyMap<string, ResourceColumn>;
  /**
   * The parents that a record may have, in their order; entitlements of its own type are checked there before it
   * exists.
   */
  readonly parents: readonly ParentColumn[];
  /** All entitlements that callers can have checked on an existing record. */
  readonly entitlements: ReadonlySet<string>;
}

/** Finds where a requirement is checked. Requirements that are checked at the same place share one object. */
export function locateRequirement(columns: ResourceColumns | undefined, requirement: Requirement): RequirementLocation {
  if (requirement.type === 'resourceRole') return columns?.own ?? nowhere;
  return columns?.byType.get(resourceTypeOf(requirement.entitlement)) ?? tenant;
}

/** Finds where a requirement is checked for a record that is not at its place yet. */
export function locateRequirementOfNew(
  columns: ResourceColumns | undefined,
  requirement: Requirement,
  row: EntityRow,
): RequirementLocation {
  if (requirement.type === 'resourceRole') return nowhere;
  const isOwn = resourceTypeOf(requirement.entitlement) === columns?.own?.resourceType;
  return isOwn ? (parentColumnOf(columns, row) ?? tenant) : locateRequirement(columns, requirement);
}

/** Finds the resource that is directly above a record; null if there is none. */
export function parentResourceOf(columns: ResourceColumns | undefined, row: EntityRow): Resource | null {
  const parent = parentColumnOf(columns, row);
  return parent && resourceAt(parent, row);
}

/** Returns the resource whose id a record has in a column; null if it has none. */
export function resourceAt({ resourceType, column }: ResourceColumn, row: EntityRow): Resource | null {
  const id = row[column];
  return typeof id === 'string' ? { type: resourceType, id } : null;
}

function parentColumnOf(columns: ResourceColumns | undefined, row: EntityRow): ResourceColumn | null {
  return columns?.parents.find(({ column }) => typeof row[column] === 'string')?.resource ?? null;
}

const tenant: RequirementLocation = Object.freeze({ type: 'tenant' });
const nowhere: RequirementLocation = Object.freeze({ type: 'nowhere' });

/** The parts of an entity that decide on its resource columns. */
interface DeclaredResource {
  readonly name: string;
  readonly model: Model;
  readonly tenant: string | undefined;
  readonly definition: AccessDefinition | undefined;
  readonly resource: { readonly type: string } | undefined;
  readonly recordAccess: readonly string[];
  readonly rules: ReadonlyMap<string, OperationRule>;
  readonly fieldRules: FieldRules;
  readonly compiledActions: ReadonlyMap<string, DeclaredAction>;
}

interface DeclaredAction {
  readonly name: string;
  readonly action: { readonly on: 'record' | 'collection' };
  readonly rule: OperationRule;
}

/**
 * Finds where the rules of all entities check their entitlements: on the resource of the entitlement's type that the
 * record is or refers to. In an entity with a tenant, an entitlement of a type that it does not refer to is checked on
 * the caller's current tenant.
 *
 * @throws ConfigurationError with every rule whose entitlement can't be checked anywhere
 */
export function findResourceColumns(
  entities: ReadonlyMap<string, DeclaredResource>,
): ReadonlyMap<string, ResourceColumns> {
  const all = new Map([...entities.values()].map((entity) => [entity.name, findColumns(entity, entities)]));
  const problems = [...entities.values()].flatMap((entity) => [
    ...findUncheckable(entity, all.get(entity.name)),
    ...findUnsafeCascades(entity, all.get(entity.name)),
    ...findRevealingAccess(entity, all.get(entity.name)),
  ]);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return all;
}

function findColumns(entity: DeclaredResource, entities: ReadonlyMap<string, DeclaredResource>): ResourceColumns {
  const { model, resource } = entity;
  const byType = new Map<string, ResourceColumn>();
  // Parents take precedence over other references, and the record itself over everything it refers to.
  const names = [...new Set([...model.parents, ...Object.keys(model.fields)])];
  const own = resource ? toColumn(resource.type, 'id') : null;
  if (own) byType.set(own.resourceType, own);
  const toReferred = (column: string): ResourceColumn | null => {
    const referred = entities.get(model.fields[column]?.options.references ?? '')?.resource;
    return referred ? toColumn(referred.type, column) : null;
  };
  for (const column of names) {
    const referred = toReferred(column);
    if (referred && !byType.has(referred.resourceType)) byType.set(referred.resourceType, referred);
  }
  const parents = model.parents.map((column) => Object.freeze({ column, resource: toReferred(column) }));
  const entitlements = Object.keys(entity.definition?.entitlements ?? {});
  const checkable = entitlements.filter((name) => {
    const found = byType.get(resourceTypeOf(name));
    // The check would reveal a reference that not everybody may read.
    return found ? !entity.fieldRules.read.has(found.column) : entity.tenant !== undefined;
  });
  return { own, byType, parents, entitlements: new Set(checkable) };
}

function toColumn(resourceType: string, column: string): ResourceColumn {
  return Object.freeze({ type: 'column', resourceType, column });
}

function findUncheckable(entity: DeclaredResource, columns: ResourceColumns | undefined): readonly string[] {
  if (entity.tenant !== undefined) return [];
  const rules = [
    ...entity.rules,
    ...[...entity.compiledActions.values()]
      .filter(({ action }) => action.on === 'record')
      .map(({ name, rule }) => [name, rule] as const),
    ...[...entity.fieldRules.read].map(([name, rule]) => [`reading ${name}`, rule] as const),
    ...[...entity.fieldRules.write].map(([name, rule]) => [`writing ${name}`, rule] as const),
  ];
  return rules.flatMap(([name, { requirements }]) =>
    requirements
      .filter(
        (requirement) =>
          requirement.type === 'entitlement' && !columns?.byType.has(resourceTypeOf(requirement.entitlement)),
      )
      .map(
        (requirement) =>
          `${entity.name}, ${name}: \`${toRequirementKey(requirement)}\` can't be checked: a record is not a resource of its type, and does not refer to one.`,
      ),
  );
}

/** A cascading delete bypasses the hierarchy, so it would leave the resource's place and roles behind. */
function findUnsafeCascades(
  { name, model, resource }: DeclaredResource,
  columns: ResourceColumns | undefined,
): readonly string[] {
  if (!resource) return [];
  const cascading = Object.entries(model.fields).filter(([, { options }]) => options.onDelete === 'cascade');
  return cascading
    .filter(([field]) => !columns?.parents.some(({ column, resource: above }) => column === field && above !== null))
    .map(([field]) => `${name}.${field}: cascade of a resource is only possible from the resource that is its parent.`);
}

/** A check that is part of every record would reveal a reference to callers who may not read it. */
function findRevealingAccess(
  { name, recordAccess, fieldRules }: DeclaredResource,
  columns: ResourceColumns | undefined,
): readonly string[] {
  const checked = recordAccess.map((entitlement) => columns?.byType.get(resourceTypeOf(entitlement))?.column ?? '');
  const revealing = new Set(checked.filter((column) => fieldRules.read.has(column)));
  return [...revealing].map((column) => `${name}.recordAccess: would reveal ${column}, which has a read rule.`);
}
