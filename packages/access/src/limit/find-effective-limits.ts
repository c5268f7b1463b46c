import type { LimitOverride } from '@x/store';
import type { EffectiveAddOn, EffectivePlans } from '../plan/find-effective-plans.ts';
import type { LimitModel } from '../plan/plan-model.ts';

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
