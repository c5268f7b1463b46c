import type { TenantPlans } from '@x/store';
import type { CompiledAddOn, CompiledPlan, CompiledPlans, PlanGate } from './compile-plans.ts';

/** The base plan that applies to a tenant in one group. */
interface EffectivePlan {
  readonly plan: CompiledPlan;
  /** Where the periods of its limits are counted from. */
  readonly anchor: Date;
  /** Whether it is the fallback, because the tenant has no other plan in the group. */
  readonly isFallback: boolean;
}

/** An add-on that applies to a tenant. */
export interface EffectiveAddOn {
  readonly addOn: CompiledAddOn;
  readonly quantity: number;
}

/** What applies to a tenant at one moment. */
export interface EffectivePlans {
  /** By group. */
  readonly basePlans: ReadonlyMap<string, EffectivePlan>;
  readonly addOns: readonly EffectiveAddOn[];
  /** The tenant's add-ons that do not count, because they do not fit these base plans. */
  readonly incompatible: readonly string[];
}

/**
 * Finds what applies to a tenant: in each group its plan until it expires, and the fallback in its own group. A stored
 * plan counts only if it is defined and belongs to that group; an add-on only if it is defined.
 */
export function findEffectivePlans(
  { basePlans, addOns, fallback }: CompiledPlans,
  { subscriptions, addOns: attached }: Pick<TenantPlans, 'subscriptions' | 'addOns'>,
  now: Date,
): EffectivePlans {
  const effective = new Map<string, EffectivePlan>();
  const ends = new Map<string, Date>();
  for (const { group, planName, startedAt, expiresAt } of subscriptions) {
    const plan = basePlans.get(planName);
    if (plan?.group !== group) continue;
    if (expiresAt === null || now < expiresAt) effective.set(group, { plan, anchor: startedAt, isFallback: false });
    else ends.set(group, expiresAt);
  }
  if (fallback && !effective.has(fallback.group)) {
    const anchor = ends.get(fallback.group) ?? new Date(0);
    effective.set(fallback.group, { plan: fallback, anchor, isFallback: true });
  }
  const known = attached.flatMap(({ name, quantity }): readonly EffectiveAddOn[] => {
    const addOn = addOns.get(name);
    return addOn ? [{ addOn, quantity }] : [];
  });
  return {
    basePlans: effective,
    addOns: known.filter(({ addOn }) => isCompatible(addOn, effective)),
    incompatible: known.filter(({ addOn }) => !isCompatible(addOn, effective)).map(({ addOn }) => addOn.name),
  };
}

/** Says whether an add-on fits the base plans. Without any base plan, none does. */
function isCompatible({ requires }: CompiledAddOn, basePlans: ReadonlyMap<string, EffectivePlan>): boolean {
  if (!requires) return basePlans.size > 0;
  const inGroup = basePlans.get(requires.group);
  return inGroup !== undefined && requires.plans.has(inGroup.plan.name);
}

/** Says whether the plans of a tenant include an entitlement. */
export function passesGate({ plans }: PlanGate, { basePlans, addOns }: EffectivePlans): boolean {
  for (const { plan } of basePlans.values()) if (plans.has(plan.name)) return true;
  return addOns.some(({ addOn }) => plans.has(addOn.name));
}
