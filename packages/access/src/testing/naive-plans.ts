import type { PeriodName } from '../plan/limit-period.ts';
import type { AddOnModel, BasePlanModel, LimitModel } from '../plan/plan-model.ts';
import type { AccessWorld } from './access-world.ts';

/** The moment at which all questions are asked. */
export const worldNow: Date = new Date('2026-05-10T12:00:00.000Z');

/**
 * Whether the plans of the tenant include an entitlement: a plan or add-on that counts has to list it or be named
 * by it, unless no plan does. Deliberately naive, like the rest.
 */
export function naivePasses(world: AccessWorld, entitlement: string): boolean {
  const { plans = {} } = world.model;
  const named = world.model.entitlements[entitlement]?.plans;
  const isListed = Object.values(plans).some((plan) => plan.features?.includes(entitlement));
  if (named === undefined && !isListed) return true;
  const counting = [...naiveBasePlans(world).map(({ name }) => name), ...naiveAddOns(world).map(({ name }) => name)];
  return counting.some((name) => named?.includes(name) || plans[name]?.features?.includes(entitlement));
}

/** The names of the plans that apply to the tenant, by group. */
export function naivePlanNames(world: AccessWorld): Readonly<Record<string, string>> {
  return Object.fromEntries(naiveBasePlans(world).map(({ name, plan }) => [plan.group ?? 'base', name]));
}

/** Whether any limit that gates an entitlement is used up in its period. */
export function naiveReached(world: AccessWorld, entitlement: string): boolean {
  return naiveBasePlans(world).some(({ plan, anchor }) =>
    Object.entries(plan.limits ?? {}).some(([name, limit]) => {
      if (limit.gates !== entitlement) return false;
      const max = naiveMax(world, name, limit);
      const start = naivePeriodStart(limit, anchor);
      const counter = world.counters.find(
        ({ limit: of, periodStart }) => of === name && periodStart.getTime() === start.getTime(),
      );
      return max !== -1 && (counter?.consumed ?? 0) + 1 > max;
    }),
  );
}

/** The start of the current period. All anchors are on days that every month has. */
export function naivePeriodStart({ per }: Pick<LimitModel, 'per'>, anchor: Date): Date {
  if (per === undefined) return new Date(0);
  const key = `${per} since ${anchor.getTime()}`;
  const start = starts.get(key) ?? stepThroughPeriods(per, anchor);
  starts.set(key, start);
  return start;
}

/** The starts found so far: worlds share their anchors, and the days since 1970 are many steps. */
const starts = new Map<string, Date>();

function stepThroughPeriods(per: PeriodName, anchor: Date): Date {
  const start = new Date(anchor);
  const step = (by: number): void => {
    if (per === 'month') start.setUTCMonth(start.getUTCMonth() + by);
    else if (per === 'day') start.setUTCDate(start.getUTCDate() + by);
    else throw new TypeError(`The naive reading knows no period '${per}'.`);
  };
  while (start <= worldNow) step(1);
  while (start > worldNow) step(-1);
  return start;
}

interface NaiveBasePlan {
  readonly name: string;
  readonly plan: BasePlanModel;
  readonly anchor: Date;
}

function naiveBasePlans({ model, subscriptions }: AccessWorld): readonly NaiveBasePlan[] {
  const { plans = {}, defaultPlan = 'free' } = model;
  const defined = subscriptions.filter(({ planName, group }) => naiveGroup(model, planName) === group);
  const running = defined.filter(({ expiresAt }) => expiresAt === null || worldNow < expiresAt);
  const found = running.map(({ planName, startedAt }) => ({ name: planName, anchor: startedAt }));
  const fallbackGroup = naiveGroup(model, defaultPlan);
  if (fallbackGroup !== undefined && !running.some(({ group }) => group === fallbackGroup)) {
    const expired = defined.find(({ group }) => group === fallbackGroup);
    found.push({ name: defaultPlan, anchor: expired?.expiresAt ?? new Date(0) });
  }
  return found.flatMap(({ name, anchor }) => {
    const plan = plans[name];
    return plan && !plan.addOn ? [{ name, plan, anchor }] : [];
  });
}

function naiveGroup({ plans = {} }: AccessWorld['model'], name: string): string | undefined {
  const plan = Object.hasOwn(plans, name) ? plans[name] : undefined;
  return plan && !plan.addOn ? (plan.group ?? 'base') : undefined;
}

function naiveAddOns(world: AccessWorld): readonly { readonly name: string; readonly addOn: AddOnModel }[] {
  const base = naiveBasePlans(world);
  return world.addOns.flatMap(({ name }) => {
    const addOn = world.model.plans?.[name];
    if (!addOn?.addOn || base.length === 0) return [];
    const { requires } = addOn;
    const isCompatible =
      !requires ||
      base.some(
        ({ name: plan, plan: { group = 'base' } }) => group === requires.group && requires.plans.includes(plan),
      );
    return isCompatible ? [{ name, addOn }] : [];
  });
}

function naiveMax(world: AccessWorld, name: string, { max: base, gates }: LimitModel): number {
  const parts = naiveAddOns(world).flatMap((own) => {
    const max = own.addOn.limits?.[name]?.max;
    const quantity = world.addOns.find((attached) => attached.name === own.name)?.quantity ?? 0;
    return max === undefined ? [] : [{ max, quantity }];
  });
  const overrides = world.overrides.filter((override) => override.name === name || override.name === gates);
  const all = [base, ...parts.map(({ max }) => max), ...overrides.map(({ max }) => max)];
  if (all.includes(-1)) return -1;
  const sum = base + parts.reduce((total, { max, quantity }) => total + max * quantity, 0);
  return Math.max(sum, ...overrides.map(({ max }) => max));
}
