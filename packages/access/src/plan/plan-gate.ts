import type { CompiledPlans } from './compile-plans.ts';
import type { EffectivePlans } from './find-effective-plans.ts';

/** The plans and add-ons of which any one includes an entitlement, by name; null if it needs none. */
export type PlanGate = ReadonlySet<string> | null;

/**
 * Finds the plans that include an entitlement: those that it names, and those that list it. It needs a plan if it names
 * any, or if any plan lists it.
 *
 * @param named - the `plans` of the entitlement
 */
export function toPlanGate(
  { basePlans, addOns }: CompiledPlans,
  entitlement: string,
  named: readonly string[] | undefined,
): PlanGate {
  const all = [...basePlans.values(), ...addOns.values()];
  const listing = all.filter(({ features }) => features.has(entitlement)).map(({ name }) => name);
  return named === undefined && listing.length === 0 ? null : new Set([...(named ?? []), ...listing]);
}

/** Says whether the plans of a tenant include an entitlement. */
export function passesGate(gate: PlanGate, { basePlans, addOns }: EffectivePlans): boolean {
  if (gate === null) return true;
  for (const { plan } of basePlans.values()) if (gate.has(plan.name)) return true;
  return addOns.some(({ addOn }) => gate.has(addOn.name));
}
