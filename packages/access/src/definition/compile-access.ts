import { RoleGoal, type RoleHop, type RoleKind } from '@x/store';
import { compile } from '../rule/compile-rule.ts';
import { compilePlans, type CompiledPlans } from '../plan/compile-plans.ts';
import { toPlanGate, type PlanGate } from '../plan/plan-gate.ts';
import type { Predicate } from '../rule/predicate.ts';
import type { AccessModel, EntitlementModel } from './access-model.ts';

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
  readonly hops: readonly RoleHop[];
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
  readonly asksRolesOnly: boolean;
  /** Whether it depends on nothing but roles and on there being a tenant, whose plan includes it in any case. */
  readonly asksRolesAndTenant: boolean;
  /** The required roles on a resource, by the resource's type; for a type that is missing, no role is enough. */
  readonly on: ReadonlyMap<string, RequiredRoles>;
}

/** The roles on resources of one type that are enough for an entitlement, and the roles they can be inherited from. */
export interface RequiredRoles {
  readonly type: string;
  readonly roles: ReadonlySet<string>;
  /** All hops that can be part of a way to one of the roles. */
  readonly hops: readonly RoleHop[];
  /** All roles, on resources of any type, that are one of the roles or can become one. */
  readonly sources: readonly RoleKind[];
  /** The roles, and the roles further up that give one of them. */
  readonly goal: RoleGoal;
}

/** Compiles a model that has no problems. */
export function compileAccess({ entities, entitlements, plans: models = {}, ...catalog }: AccessModel): CompiledAccess {
  const plans = compilePlans({ ...catalog, plans: models });
  const hops = Object.entries(entities).flatMap(([type, { inherits = {} }]) => toHops(type, inherits));
  const rules = { entitlements: new Set<string>() };
  return {
    types: new Map(Object.entries(entities).map(([type, { roles }]) => [type, compileType({ type, roles, hops })])),
    entitlements: new Map(
      Object.entries(entitlements).map(([name, model]) => [
        name,
        compileEntitlement({ name, model, hops, plans, rules }),
      ]),
    ),
    plans,
    flags: [...new Set(Object.values(entitlements).flatMap(({ flags = [] }) => flags))],
    limits: [...new Set([...plans.basePlans.values()].flatMap(({ limits }) => [...limits.keys()]))],
    hops,
  };
}

/** Finds the required roles for having one of the roles on a resource of a type. */
export function toRequiredRoles({ hops }: CompiledAccess, type: string, roles: readonly string[]): RequiredRoles {
  return toRequired(
    type,
    roles.map((role) => ({ type, role })),
    hops,
  );
}

function toHops(type: string, inherits: Readonly<Record<string, string>>): readonly RoleHop[] {
  return Object.entries(inherits).map(([name, role]) => {
    const [parentType = '', parentRole = ''] = name.split(':');
    return { parent: { type: parentType, role: parentRole }, child: { type, role } };
  });
}

function compileType({
  type,
  roles,
  hops,
}: {
  readonly type: string;
  readonly roles: readonly string[];
  readonly hops: readonly RoleHop[];
}): CompiledType {
  const inherits = new Map<string, Map<string, string>>();
  for (const { parent, child } of hops) {
    if (child.type !== type) continue;
    const map = inherits.get(parent.type) ?? new Map<string, string>();
    inherits.set(parent.type, map.set(parent.role, child.role));
  }
  return { roles: new Set(roles), inherits };
}

function compileEntitlement({
  name,
  model,
  hops,
  plans,
  rules,
}: {
  readonly name: string;
  readonly model: EntitlementModel;
  readonly hops: readonly RoleHop[];
  readonly plans: CompiledPlans;
  readonly rules: { readonly entitlements: ReadonlySet<string> };
}): CompiledEntitlement {
  const type = name.slice(0, name.indexOf(':'));
  const goals = model.roles.map((role): RoleKind => ({ type, role }));
  // On the way down from an ancestor, nesting within a type is left out: it needs actual resources, and none is named
  // here.
  const above = reachBack(
    goals,
    hops.filter(({ parent, child }) => parent.type !== child.type),
  ).sources;
  const types = new Set(above.map((kind) => kind.type));
  const place = `entitlements['${name}'].rules`;
  const rule = model.rules && compile(model.rules, { model: rules, place, report: () => undefined });
  const asked = {
    flags: model.flags ?? [],
    gate: toPlanGate(plans, name, model.plans),
    isLimited: isLimited(plans, name),
  };
  const isFixed = asked.flags.length === 0 && !asked.isLimited && rule === undefined;
  return {
    name,
    needsRole: goals.length > 0,
    ...asked,
    rule,
    asksRolesOnly: isFixed && asked.gate === null,
    asksRolesAndTenant: isFixed && (asked.gate === null || asked.gate.admitsAll),
    on: new Map([...types].map((each) => [each, toRequired(each, above, hops)])),
  };
}

function isLimited({ basePlans }: CompiledPlans, entitlement: string): boolean {
  return [...basePlans.values()].some(({ limits }) => [...limits.values()].some(({ gates }) => gates === entitlement));
}

function toRequired(type: string, enough: readonly RoleKind[], hops: readonly RoleHop[]): RequiredRoles {
  const kinds = enough.filter((kind) => kind.type === type);
  const reached = reachBack(kinds, hops);
  const goal = new RoleGoal({ type, roles: kinds.map(({ role }) => role), hops: reached.hops });
  return { type, roles: goal.roles, goal, ...reached };
}

/** Follows hops backwards, from roles to all roles that can become one of them. */
function reachBack(goals: readonly RoleKind[], hops: readonly RoleHop[]): Pick<RequiredRoles, 'hops' | 'sources'> {
  const sources = [...goals];
  const used = new Set<RoleHop>();
  for (const goal of sources) {
    for (const hop of hops) {
      if (hop.child.type !== goal.type || hop.child.role !== goal.role) continue;
      used.add(hop);
      const isKnown = sources.some((kind) => kind.type === hop.parent.type && kind.role === hop.parent.role);
      if (!isKnown) sources.push(hop.parent);
    }
  }
  return { hops: [...used], sources };
}
