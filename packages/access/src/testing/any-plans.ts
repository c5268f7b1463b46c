import type { SubscriptionRecord } from '@x/store';
import fc from 'fast-check';

import type { AccessModel } from '../definition/access-model.ts';
import type { PeriodName } from '../plan/limit-period.ts';
import type { LimitModel, PlanModel } from '../plan/plan-model.ts';
import type { AccessWorld } from './access-world.ts';
import { naivePeriodStart, worldNow } from './naive-plans.ts';

/** The tenant of a world, which is also one of its resources. */
export const worldTenant = '4';

const names = ['free', 'pro', 'side', 'extra', 'more'] as const;

const anchors: readonly Date[] = ['2026-01-28T12:00Z', '2026-05-10T12:00Z', '2026-07-03T00:00Z'].map(
  (text) => new Date(text),
);

const moments: readonly Date[] = [-86_400_000, -1, 0, 1].map((ms) => new Date(worldNow.getTime() + ms));

const max = fc.constantFrom(-1, 0, 1, 2, 3);

const per = fc.constantFrom<PeriodName | undefined>(undefined, 'month', 'day');

/** The limits of a model; each has one group and one period, and gates one entitlement. */
const limit = fc.record({ gates: fc.nat({ max: 1 }), per });

const subscription = fc.record({
  planName: fc.constantFrom('free', 'pro', 'side', 'extra', 'gone'),
  startedAt: fc.constantFrom(...anchors),
  expiresAt: fc.option(fc.constantFrom(...moments)),
});

type DrawnSubscription = Omit<SubscriptionRecord, 'group'>;

interface DrawnLimit {
  readonly gates: number;
  readonly per: PeriodName | undefined;
}

/** The random choices that the plans of a world are built from. */
export interface DrawnPlans {
  readonly isFreeDefined: boolean;
  readonly defaultPlan: string | undefined;
  readonly features: readonly (readonly number[])[];
  readonly entitlementPlans: readonly (readonly string[] | undefined)[];
  readonly limits: { readonly l1: DrawnLimit; readonly l2: DrawnLimit; readonly s1: DrawnLimit };
  readonly maxima: readonly (number | null)[];
  readonly requires: readonly string[] | null;
  readonly base: DrawnSubscription | null;
  readonly side: DrawnSubscription | null;
  readonly addOns: AccessWorld['addOns'];
  readonly overrides: AccessWorld['overrides'];
  readonly counters: readonly { readonly limit: string; readonly anchor: Date; readonly consumed: number }[];
}

/** Any plans of a small model, and the subscriptions of a tenant. */
export const drawPlans: fc.Arbitrary<DrawnPlans> = fc.record({
  isFreeDefined: fc.boolean(),
  defaultPlan: fc.constantFrom(undefined, 'pro', 'side'),
  features: fc.array(fc.subarray([0, 1, 2]), { minLength: names.length, maxLength: names.length }),
  entitlementPlans: fc.array(fc.option(fc.subarray(['pro', 'side', 'extra']), { nil: undefined }), {
    minLength: 4,
    maxLength: 4,
  }),
  limits: fc.record({ l1: limit, l2: limit, s1: limit }),
  maxima: fc.array(fc.option(max), { minLength: 8, maxLength: 8 }),
  requires: fc.option(fc.subarray(['free', 'pro'], { minLength: 1 })),
  base: fc.option(subscription),
  side: fc.option(subscription),
  addOns: fc.uniqueArray(
    fc.record({ name: fc.constantFrom('extra', 'more', 'pro', 'gone'), quantity: fc.integer({ min: 1, max: 2 }) }),
    { selector: ({ name }) => name, maxLength: 3 },
  ),
  overrides: fc.uniqueArray(
    fc.record({ name: fc.constantFrom('l1', 'l2', 's1', 'gates'), max: fc.constantFrom(-1, 1, 3) }),
    { selector: ({ name }) => name, maxLength: 2 },
  ),
  counters: fc.uniqueArray(
    fc.record({
      limit: fc.constantFrom('l1', 'l2', 's1'),
      anchor: fc.constantFrom(...anchors, ...moments, new Date(0)),
      consumed: fc.integer({ min: 1, max: 4 }),
    }),
    { selector: ({ limit: name, anchor }) => `${name} ${anchor.getTime()}`, maxLength: 5 },
  ),
});

/** Builds the plans of a model, and decides which of its entitlements name them. */
export function toPlanModels(
  entitlements: AccessModel['entitlements'],
  drawn: DrawnPlans,
): Pick<AccessModel, 'entitlements' | 'plans' | 'defaultPlan'> {
  const known = Object.keys(entitlements);
  const content = (index: number, maxima: Readonly<Record<string, number | null | undefined>>): Content => ({
    features: (drawn.features[index] ?? []).flatMap((at) => known[at] ?? []),
    limits: Object.fromEntries(
      Object.entries(maxima).flatMap(([name, one]) =>
        one === null ? [] : [[name, toLimit(name, one ?? 0, known, drawn)]],
      ),
    ),
  });
  const [m0, m1, m2, m3, m4, m5, m6, m7] = drawn.maxima;
  const { requires, isFreeDefined, defaultPlan } = drawn;
  const plans: Readonly<Record<string, PlanModel>> = {
    ...(isFreeDefined && { free: { group: 'base', ...content(0, { l1: m0, l2: m1 }) } }),
    pro: { group: 'base', ...content(1, { l1: m2, l2: m3 }) },
    side: { group: 'side', ...content(2, { s1: m4 }) },
    extra: {
      addOn: true,
      ...content(3, { l1: m5, s1: m6 }),
      ...(requires && {
        requires: { group: 'base', plans: requires.filter((name) => name !== 'free' || isFreeDefined) },
      }),
    },
    more: { addOn: true, ...content(4, { l2: m7 }) },
  };
  return {
    entitlements: Object.fromEntries(
      Object.entries(entitlements).map(([name, model], index) => {
        const named = drawn.entitlementPlans[index];
        return [name, { ...model, ...(named && { plans: named }) }];
      }),
    ),
    plans,
    ...(defaultPlan !== undefined && { defaultPlan }),
  };
}

/** Builds the subscriptions of the tenant of a world, and its consumption. */
export function toTenantPlans(
  entitlements: AccessModel['entitlements'],
  drawn: DrawnPlans,
): Pick<AccessWorld, 'tenantId' | 'subscriptions' | 'addOns' | 'overrides' | 'counters'> {
  const known = Object.keys(entitlements);
  const counters = drawn.counters.map(({ limit: name, anchor, consumed }) => {
    const { per: length } = toLimit(name, 0, known, drawn);
    return { limit: name, periodStart: naivePeriodStart({ ...(length && { per: length }) }, anchor), consumed };
  });
  const isFirst = (counter: (typeof counters)[number], index: number): boolean =>
    counters.findIndex((other) => toName(other) === toName(counter)) === index;
  return {
    tenantId: worldTenant,
    subscriptions: [toSubscription('base', drawn.base), toSubscription('side', drawn.side)].flatMap((one) => one ?? []),
    addOns: drawn.addOns,
    overrides: drawn.overrides.map(({ name, max: least }) => ({
      name: name === 'gates' ? toLimit('l1', 0, known, drawn).gates : name,
      max: least,
    })),
    counters: counters.filter(isFirst),
  };
}

type Content = Required<Pick<PlanModel, 'features' | 'limits'>>;

function toLimit(name: string, most: number, known: readonly string[], { limits }: DrawnPlans): LimitModel {
  const { gates, per: length } = name === 'l1' ? limits.l1 : name === 'l2' ? limits.l2 : limits.s1;
  return { gates: known[gates] ?? known[0] ?? '', max: most, ...(length && { per: length }) };
}

function toName({ limit: name, periodStart }: { readonly limit: string; readonly periodStart: Date }): string {
  return `${name} ${periodStart.getTime()}`;
}

function toSubscription(group: string, drawn: DrawnSubscription | null): SubscriptionRecord | null {
  return drawn && { group, ...drawn };
}
