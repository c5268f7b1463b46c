import type { Issue } from '@x/errors';
import type { LimitOverride, TenantPlans } from '@x/store';
import type { CompiledAddOn, CompiledPlan, CompiledPlans, PlanGate } from './compile-plans.ts';
import type { LimitModel } from './plan-model.ts';

/** The base plan that applies to a tenant in one group. */
interface EffectivePlan {
  readonly plan: CompiledPlan;
  /** Where the periods of its limits are counted from. */
  readonly anchor: Date;
  /** Whether it is the fallback, because the tenant has no other plan in the group. */
  readonly isFallback: boolean;
}

/** An add-on that applies to a tenant. */
interface EffectiveAddOn {
  readonly addOn: CompiledAddOn;
  readonly quantity: number;
}

/** The plans and limits of a tenant at one moment. */
export interface EffectivePlans {
  /** By group. */
  readonly basePlans: ReadonlyMap<string, EffectivePlan>;
  readonly addOns: readonly EffectiveAddOn[];
  /** The tenant's add-ons that do not count, because they do not fit these base plans. */
  readonly incompatible: readonly string[];
}

/**
 * Finds the plans that apply to a tenant: in each group its plan until it expires, and the fallback in its own group. A
 * stored plan counts only if it is defined and belongs to that group; an add-on only if it is defined.
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

/** A limit as it applies to a tenant. */
export interface EffectiveLimit extends LimitModel {
  readonly name: string;
  /** Where its periods are counted from. */
  readonly anchor: Date;
}

/**
 * Finds the limits of a tenant: those of its base plans, plus the additions of add-ons, or an override if that is
 * higher. A limit that no base plan has does not apply.
 */
export function findEffectiveLimits(
  { basePlans, addOns }: EffectivePlans,
  overrides: readonly LimitOverride[],
): readonly EffectiveLimit[] {
  return [...basePlans.values()].flatMap(({ plan, anchor }) =>
    [...plan.limits].map(([name, limit]): EffectiveLimit => {
      const added = addUp(limit.max, name, addOns);
      const raised = overrides.filter((override) => override.name === name || override.name === limit.gates);
      return { ...limit, name, anchor, max: raised.reduce((max, override) => greater(max, override.max), added) };
    }),
  );
}

/** Adds the contributions of add-ons to a limit; unlimited stays unlimited. */
function addUp(base: number, name: string, addOns: readonly EffectiveAddOn[]): number {
  const sum = addOns.reduce((max, { addOn, quantity }) => {
    const extra = addOn.limits.get(name)?.max ?? 0;
    return max === -1 || extra === -1 ? -1 : max + extra * quantity;
  }, base);
  return Math.min(sum, Number.MAX_SAFE_INTEGER);
}

function greater(a: number, b: number): number {
  return a === -1 || b === -1 ? -1 : Math.max(a, b);
}

/**
 * Finds invalid overrides: of a limit that does not apply to the tenant, with an invalid number, or lower than the
 * tenant's limit without it.
 */
export function findOverrideProblems(
  limits: readonly EffectiveLimit[],
  overrides: Readonly<Record<string, { readonly max: number }>>,
): readonly Issue[] {
  return Object.entries(overrides).flatMap(([name, { max }]): readonly Issue[] => {
    const named = limits.filter((limit) => limit.name === name || limit.gates === name);
    const problem = findProblem(named, max);
    return problem ? [{ path: [name], ...problem }] : [];
  });
}

function findProblem(limits: readonly EffectiveLimit[], max: number): Omit<Issue, 'path'> | null {
  if (limits.length === 0) return { code: 'unknown_limit', message: 'The plan has no such limit.' };
  if (max !== -1 && (!Number.isSafeInteger(max) || max < 1)) {
    return { code: 'invalid_limit', message: 'An override must be -1 or a positive whole number.' };
  }
  const isLower = max !== -1 && limits.some((limit) => limit.max === -1 || max < limit.max);
  return isLower ? { code: 'too_small', message: 'An override can only raise a limit.' } : null;
}
