import type { CompiledPlans } from './compile-plans.ts';
import type { EffectivePlans } from './find-effective-plans.ts';

/** What a tenant needs to have for an entitlement to be included. */
export interface PlanGate {
  /** The plans and add-ons of which any one includes the entitlement, by name. */
  readonly plans: ReadonlySet<string>;
  /** Whether every tenant passes, whatever it has subscribed to. */
  readonly admitsAll: boolean;
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
  return { plans, admitsAll: includesFallbackGroup(plans, { basePlans, fallback }) };
}

/** In the group of the fallback plan, every tenant has one of the group's plans. */
function includesFallbackGroup(
  included: ReadonlySet<string>,
  { basePlans, fallback }: Pick<CompiledPlans, 'basePlans' | 'fallback'>,
): boolean {
  if (fallback === null) return false;
  return [...basePlans.values()].every(({ name, group }) => group !== fallback.group || included.has(name));
}

/** Says whether the plans of a tenant include an entitlement. */
export function passesGate({ plans }: PlanGate, { basePlans, addOns }: EffectivePlans): boolean {
  for (const { plan } of basePlans.values()) if (plans.has(plan.name)) return true;
  return addOns.some(({ addOn }) => plans.has(addOn.name));
}
