import type { Issue } from '@x/errors';
import type { LimitOverride } from '@x/store';
import type { EffectiveAddOn, EffectivePlans } from './effective-plans.ts';
import type { LimitModel } from './plan-model.ts';

/** A limit as it applies to a tenant. */
export interface EffectiveLimit extends LimitModel {
  readonly name: string;
  /** Where its periods are counted from. */
  readonly anchor: Date;
}

/**
 * Finds the limits of a tenant: those of its base plans, plus what add-ons add to them, or an override if that is
 * higher. A limit that no base plan has does not apply.
 */
export function findEffectiveLimits(
  { basePlans, addOns }: EffectivePlans,
  overrides: readonly LimitOverride[],
): readonly EffectiveLimit[] {
  return [...basePlans.values()].flatMap(({ plan, anchor }) =>
    [...plan.limits].map(([name, limit]): EffectiveLimit => {
      const added = addUp(limit.max, name, addOns);
      const own = overrides.filter((override) => override.name === name || override.name === limit.gates);
      return { ...limit, name, anchor, max: own.reduce((max, override) => greater(max, override.max), added) };
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
 * Finds invalid overrides: of a limit that does not apply to the tenant, with an invalid number, or lower than what the
 * tenant has without it.
 */
export function findOverrideProblems(
  limits: readonly EffectiveLimit[],
  overrides: Readonly<Record<string, { readonly max: number }>>,
): readonly Issue[] {
  return Object.entries(overrides).flatMap(([name, { max }]): readonly Issue[] => {
    const own = limits.filter((limit) => limit.name === name || limit.gates === name);
    const problem = findProblem(own, max);
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
