import {
  type AddOnModel,
  type BasePlanModel,
  defaultGroup,
  type LimitModel,
  type PlanCatalogModel,
  type PlanModel,
} from './plan-model.ts';

/** Plans compiled for the engine. All lookups use maps, so a stored name never finds an inherited property. */
export interface CompiledPlans {
  readonly basePlans: ReadonlyMap<string, CompiledPlan>;
  readonly addOns: ReadonlyMap<string, CompiledAddOn>;
  /** Null if there is none. */
  readonly fallback: CompiledPlan | null;
}

/** The members that base plans and add-ons share. */
interface PlanContent {
  readonly name: string;
  readonly features: ReadonlySet<string>;
  readonly limits: ReadonlyMap<string, LimitModel>;
}

/** A base plan. */
export interface CompiledPlan extends PlanContent {
  readonly group: string;
}

/** An add-on. */
export interface CompiledAddOn extends PlanContent {
  readonly requires: { readonly group: string; readonly plans: ReadonlySet<string> } | null;
}

/** Compiles plans that have no problems. */
export function compilePlans({ plans, defaultPlan = 'free' }: PlanCatalogModel): CompiledPlans {
  const basePlans = new Map<string, CompiledPlan>();
  const addOns = new Map<string, CompiledAddOn>();
  for (const [name, plan] of Object.entries(plans)) {
    if (plan.addOn) addOns.set(name, compileAddOn(name, plan));
    else basePlans.set(name, compileBasePlan(name, plan));
  }
  return { basePlans, addOns, fallback: basePlans.get(defaultPlan) ?? null };
}

function compileBasePlan(name: string, plan: BasePlanModel): CompiledPlan {
  return { ...compileContent(name, plan), group: plan.group ?? defaultGroup };
}

function compileAddOn(name: string, addOn: AddOnModel): CompiledAddOn {
  const { requires } = addOn;
  return {
    ...compileContent(name, addOn),
    requires: requires ? { group: requires.group, plans: new Set(requires.plans) } : null,
  };
}

function compileContent(name: string, { features = [], limits = {} }: PlanModel): PlanContent {
  return { name, features: new Set(features), limits: new Map(Object.entries(limits)) };
}

/** The plans and add-ons that include an entitlement. */
export interface PlanGate {
  /** The plans and add-ons of which any one includes the entitlement, by name. */
  readonly plans: ReadonlySet<string>;
  /** Whether every tenant passes, with any subscriptions. */
  readonly allowsAll: boolean;
}

/**
 * Finds the plans that include an entitlement: those that it names, and those that list it. It needs a plan if it names
 * any, or if any plan lists it.
 *
 * @param named - the `plans` of the entitlement
 */
export function toPlanGate(
  { basePlans, addOns, fallback }: CompiledPlans,
  entitlement: string,
  named: readonly string[] | undefined,
): PlanGate | null {
  const all = [...basePlans.values(), ...addOns.values()];
  const listing = all.filter(({ features }) => features.has(entitlement)).map(({ name }) => name);
  if (named === undefined && listing.length === 0) return null;
  const plans = new Set([...(named ?? []), ...listing]);
  return { plans, allowsAll: includesFallbackGroup(plans, { basePlans, fallback }) };
}

/** In the group of the fallback plan, every tenant has one of the group's plans. */
function includesFallbackGroup(
  included: ReadonlySet<string>,
  { basePlans, fallback }: Pick<CompiledPlans, 'basePlans' | 'fallback'>,
): boolean {
  if (fallback === null) return false;
  return [...basePlans.values()].every(({ name, group }) => group !== fallback.group || included.has(name));
}
