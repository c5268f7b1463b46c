import { RequiredRoles, type InheritanceRule, type RoleKind } from '@x/store';
import { type CompiledPlans, compilePlans, type PlanGate, toPlanGate } from '../plan/compile-plans.ts';
import { compileRule } from '../rule/compile-rule.ts';
import type { Predicate } from '../rule/predicate.ts';
import type { AccessModel, EntitlementModel, EntityModel } from './access-model.ts';

/** Which roles the roles on parents of one type give on resources of another: parent role → role. */
type RoleMap = ReadonlyMap<string, string>;

/**
 * A model compiled for the engine. All lookups use maps, so a name from a request never finds an inherited property.
 */
export interface CompiledAccess {
  readonly types: ReadonlyMap<string, CompiledType>;
  readonly entitlements: ReadonlyMap<string, CompiledEntitlement>;
  readonly plans: CompiledPlans;
  /** All flags that any entitlement depends on. */
  readonly flags: readonly string[];
  /** The names of all limits that any plan has. */
  readonly limits: readonly string[];
  /** Every step from a role on a parent to a role on its children. */
  readonly inheritance: readonly InheritanceRule[];
}

/** One type of resource. */
interface CompiledType {
  readonly roles: ReadonlySet<string>;
  /** By the type of the parent. */
  readonly inherits: ReadonlyMap<string, RoleMap>;
}

/** One entitlement. */
export interface CompiledEntitlement {
  readonly name: string;
  readonly needsRole: boolean;
  readonly flags: readonly string[];
  /** Null if it needs no plan. */
  readonly gate: PlanGate | null;
  /** Whether any plan limits its use. */
  readonly isLimited: boolean;
  readonly rule: Predicate | undefined;
  /** Whether it depends on roles alone: no flag, plan, limit or rule. */
  readonly needsRolesOnly: boolean;
  /** Whether it depends on nothing but roles and on there being a tenant, whose plan includes it in any case. */
  readonly needsRolesAndTenantOnly: boolean;
  /** The required roles on a resource, by the resource's type; for a type that is missing, no role is enough. */
  readonly requirements: ReadonlyMap<string, RoleRequirement>;
}

/** The roles on resources of one type that are enough for an entitlement, and the roles they can be inherited from. */
export interface RoleRequirement {
  readonly type: string;
  readonly roles: ReadonlySet<string>;
  /** All inheritance that can be part of a path to one of the roles. */
  readonly inheritance: readonly InheritanceRule[];
  /** All roles, on resources of any type, that are one of the roles or can become one. */
  readonly sources: readonly RoleKind[];
  /** The roles that stores look for: those of the requirement, and those further up that give one of them. */
  readonly requiredRoles: RequiredRoles;
}

/** Compiles a model that has no problems. */
export function compileAccess({ entities, entitlements, plans: models = {}, ...catalog }: AccessModel): CompiledAccess {
  const plans = compilePlans({ ...catalog, plans: models });
  const inheritance = Object.keys(entities).flatMap((type) => toInheritance(type, roleMapOf(entities, type)));
  return {
    types: new Map(Object.entries(entities).map(([type, model]) => [type, compileType(type, model, inheritance)])),
    entitlements: new Map(
      Object.entries(entitlements).map(([name, model]) => [
        name,
        compileEntitlement(name, model, { plans, inheritance }),
      ]),
    ),
    plans,
    flags: [...new Set(Object.values(entitlements).flatMap(({ flags = [] }) => flags))],
    limits: [...new Set([...plans.basePlans.values()].flatMap(({ limits }) => [...limits.keys()]))],
    inheritance,
  };
}

/** Returns which roles of parents give which of a type, as the map that a list of parents stands for. */
export function roleMapOf(entities: AccessModel['entities'], type: string): Readonly<Record<string, string>> {
  const { roles = [], inherits = {} } = entities[type] ?? {};
  if (!isList(inherits)) return inherits;
  const ofParent = (parent: string): readonly (readonly [string, string])[] =>
    (entities[parent]?.roles ?? []).filter((role) => roles.includes(role)).map((role) => [`${parent}:${role}`, role]);
  return Object.fromEntries(inherits.flatMap(ofParent));
}

function isList(inherits: NonNullable<EntityModel['inherits']>): inherits is readonly string[] {
  return Array.isArray(inherits);
}

function toInheritance(type: string, inherits: Readonly<Record<string, string>>): readonly InheritanceRule[] {
  return Object.entries(inherits).map(([name, role]) => {
    const [parentType = '', parentRole = ''] = name.split(':');
    return { parent: { type: parentType, role: parentRole }, child: { type, role } };
  });
}

function compileType(type: string, { roles }: EntityModel, inheritance: readonly InheritanceRule[]): CompiledType {
  const inherits = new Map<string, Map<string, string>>();
  for (const { parent, child } of inheritance) {
    if (child.type !== type) continue;
    const map = inherits.get(parent.type) ?? new Map<string, string>();
    inherits.set(parent.type, map.set(parent.role, child.role));
  }
  return { roles: new Set(roles), inherits };
}

function compileEntitlement(
  name: string,
  model: EntitlementModel,
  { plans, inheritance }: Pick<CompiledAccess, 'plans' | 'inheritance'>,
): CompiledEntitlement {
  const type = resourceTypeOf(name);
  const required = model.roles.map((role): RoleKind => ({ type, role }));
  // On the way down from an ancestor, nesting within a type is left out: it needs actual resources, and none is named
  // here.
  const enough = reachBack(
    required,
    inheritance.filter(({ parent, child }) => parent.type !== child.type),
  ).sources;
  const types = new Set(enough.map((kind) => kind.type));
  const flags = model.flags ?? [];
  const gate = toPlanGate(plans, name, model.plans);
  const limited = isLimited(plans, name);
  const rule = model.rules && compileRule(model.rules, { entitlements: new Set() }, `entitlements['${name}'].rules`);
  const isFixed = flags.length === 0 && !limited && rule === undefined;
  return {
    name,
    needsRole: required.length > 0,
    flags,
    gate,
    isLimited: limited,
    rule,
    needsRolesOnly: isFixed && gate === null,
    needsRolesAndTenantOnly: isFixed && (gate === null || gate.allowsAll),
    requirements: new Map([...types].map((each) => [each, compileRequirement(each, enough, inheritance)])),
  };
}

function isLimited({ basePlans }: CompiledPlans, entitlement: string): boolean {
  return [...basePlans.values()].some(({ limits }) => [...limits.values()].some(({ gates }) => gates === entitlement));
}

/** Compiles the requirement of one of the roles on a resource of a type. */
export function toRoleRequirement(
  { inheritance }: CompiledAccess,
  type: string,
  roles: readonly string[],
): RoleRequirement {
  return compileRequirement(
    type,
    roles.map((role) => ({ type, role })),
    inheritance,
  );
}

function compileRequirement(
  type: string,
  enough: readonly RoleKind[],
  inheritance: readonly InheritanceRule[],
): RoleRequirement {
  const kinds = enough.filter((kind) => kind.type === type);
  const reached = reachBack(kinds, inheritance);
  const required = new RequiredRoles({ type, roles: kinds.map(({ role }) => role), inheritance: reached.inheritance });
  return { type, roles: required.roles, requiredRoles: required, ...reached };
}

/** Follows inheritance backwards, from roles to all roles that can become one of them. */
function reachBack(
  roles: readonly RoleKind[],
  inheritance: readonly InheritanceRule[],
): Pick<RoleRequirement, 'inheritance' | 'sources'> {
  const sources = [...roles];
  const used = new Set<InheritanceRule>();
  for (const source of sources) {
    for (const rule of inheritance) {
      if (rule.child.type !== source.type || rule.child.role !== source.role) continue;
      used.add(rule);
      const isKnown = sources.some((kind) => kind.type === rule.parent.type && kind.role === rule.parent.role);
      if (!isKnown) sources.push(rule.parent);
    }
  }
  return { inheritance: [...used], sources };
}

/** Returns the type that an entitlement or a role is named after: `task` of `task:read`. */
export function resourceTypeOf(name: string): string {
  return name.slice(0, name.indexOf(':'));
}
