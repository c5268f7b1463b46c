import type { AttachedAddOn, SubscriptionRecord } from '@x/store';
import { describe, expect, it } from 'vitest';
import { compilePlans, toPlanGate } from './compile-plans.ts';
import { type EffectivePlans, findEffectivePlans, passesGate } from './effective-plans.ts';
import type { PlanCatalogModel } from './plan-model.ts';

const catalog: PlanCatalogModel = {
  plans: {
    free: { group: 'base', features: ['project:read'] },
    pro: { group: 'base', features: ['project:read', 'project:export'] },
    enterprise: { group: 'base', features: ['project:read', 'project:export', 'report:read'] },
    gold: { group: 'support', features: ['ticket:create'] },
    'extra-exports': { addOn: true, features: ['project:schedule'], requires: { group: 'base', plans: ['pro'] } },
    badge: { addOn: true, features: ['badge:show'] },
    hotline: { addOn: true, requires: { group: 'support', plans: ['gold'] } },
  },
};

/** A catalog whose fallback is not defined. */
const withoutFree: PlanCatalogModel = {
  plans: Object.fromEntries(Object.entries(catalog.plans).filter(([name]) => name !== 'free')),
};

const now = new Date('2026-05-01T12:00:00.000Z');

const startedAt = new Date('2026-01-31T10:00:00.000Z');

function plan(planName: string, more: Partial<SubscriptionRecord> = {}): SubscriptionRecord {
  return { group: 'base', planName, startedAt, expiresAt: null, ...more };
}

interface Had {
  readonly model?: PlanCatalogModel;
  readonly subscriptions?: readonly SubscriptionRecord[];
  readonly addOns?: readonly AttachedAddOn[];
}

function find({ model = catalog, subscriptions = [], addOns = [] }: Had): EffectivePlans {
  return findEffectivePlans(compilePlans(model), { subscriptions, addOns }, now);
}

function names({ basePlans, addOns }: EffectivePlans): readonly string[] {
  return [...[...basePlans.values()].map((effective) => effective.plan.name), ...addOns.map(({ addOn }) => addOn.name)];
}

describe('the plan of a group', () => {
  it('is that of the subscription until the moment when it expires', () => {
    const expiresAt = new Date(now.getTime() + 1);
    const effective = find({ subscriptions: [plan('pro', { expiresAt })] });
    expect(effective.basePlans.get('base')).toMatchObject({
      plan: { name: 'pro' },
      anchor: startedAt,
      isFallback: false,
    });
    const expired = find({ subscriptions: [plan('pro', { expiresAt: now })] });
    expect(expired.basePlans.get('base')).toMatchObject({ plan: { name: 'free' }, anchor: now, isFallback: true });
  });

  it('is the fallback, anchored in 1970, for a tenant without a subscription', () => {
    expect(find({}).basePlans.get('base')).toMatchObject({
      plan: { name: 'free' },
      anchor: new Date(0),
      isFallback: true,
    });
  });

  it('is the default plan rather than `free`', () => {
    expect(names(find({ model: { ...catalog, defaultPlan: 'pro' } }))).toEqual(['pro']);
  });

  it('is absent if there is no fallback', () => {
    expect(names(find({ model: withoutFree }))).toEqual([]);
    for (const defaultPlan of ['missing', 'badge', '__proto__', 'constructor']) {
      expect(names(find({ model: { ...catalog, defaultPlan } }))).toEqual([]);
    }
  });

  it('is the fallback in its own group alone', () => {
    const gold = plan('gold', { group: 'support' });
    expect(names(find({ subscriptions: [gold] }))).toEqual(['gold', 'free']);
    expect(names(find({ subscriptions: [{ ...gold, expiresAt: now }] }))).toEqual(['free']);
  });

  it('is never one that is not defined, or that belongs to another group', () => {
    for (const planName of ['gone', 'gold', 'badge', '__proto__', 'constructor']) {
      const effective = find({ subscriptions: [plan(planName, { expiresAt: startedAt })] });
      expect(effective.basePlans.get('base')).toMatchObject({ plan: { name: 'free' }, anchor: new Date(0) });
    }
  });

  it('may start in the future', () => {
    expect(names(find({ subscriptions: [plan('pro', { startedAt: new Date('2027-01-01') })] }))).toEqual(['pro']);
  });
});

describe('add-ons', () => {
  const all = [
    { name: 'extra-exports', quantity: 2 },
    { name: 'badge', quantity: 1 },
    { name: 'hotline', quantity: 1 },
    { name: 'gone', quantity: 1 },
    { name: '__proto__', quantity: 1 },
  ];

  it('apply if the plans that they require apply, and are reported as incompatible otherwise', () => {
    const free = find({ addOns: all });
    expect(names(free)).toEqual(['free', 'badge']);
    expect(free.incompatible).toEqual(['extra-exports', 'hotline']);
    const pro = find({ addOns: all, subscriptions: [plan('pro'), plan('gold', { group: 'support' })] });
    expect(names(pro)).toEqual(['pro', 'gold', 'extra-exports', 'badge', 'hotline']);
    expect(pro.incompatible).toEqual([]);
    const enterprise = find({ addOns: all, subscriptions: [plan('enterprise')] });
    expect(enterprise.incompatible).toEqual(['extra-exports', 'hotline']);
  });

  it('do not apply without any plan', () => {
    const effective = find({ model: withoutFree, addOns: all });
    expect(names(effective)).toEqual([]);
    expect(effective.incompatible).toEqual(['extra-exports', 'badge', 'hotline']);
  });
});

describe('the gate of an entitlement', () => {
  const compiled = compilePlans(catalog);
  const passes = (entitlement: string, named: readonly string[] | undefined, had: Had): boolean => {
    const gate = toPlanGate(compiled, entitlement, named);
    return gate === null || passesGate(gate, find(had));
  };

  it('is absent if it names no plan and no plan lists it', () => {
    expect(toPlanGate(compiled, 'task:read', undefined)).toBeNull();
  });

  it('lets every tenant pass if all plans in the group of the fallback include it', () => {
    const admits = (model: PlanCatalogModel, entitlement: string, named?: readonly string[]): boolean | undefined =>
      toPlanGate(compilePlans(model), entitlement, named)?.allowsAll;
    expect(admits(catalog, 'project:read')).toBe(true);
    expect(admits(catalog, 'project:export')).toBe(false);
    expect(admits(catalog, 'project:export', ['free'])).toBe(true);
    expect(admits(catalog, 'ticket:create')).toBe(false);
    expect(admits(catalog, 'badge:show', ['free', 'pro', 'enterprise'])).toBe(true);
    expect(admits({ ...catalog, defaultPlan: 'gold' }, 'ticket:create')).toBe(true);
    expect(admits({ ...catalog, defaultPlan: 'gold' }, 'project:read')).toBe(false);
    expect(admits(withoutFree, 'project:read')).toBe(false);
    for (const name of ['gone', 'pro', 'gold', 'free']) {
      const expired = plan(name, { expiresAt: now });
      expect(passes('project:read', undefined, { subscriptions: [plan(name)] })).toBe(true);
      expect(passes('project:read', undefined, { subscriptions: [expired] })).toBe(true);
    }
  });

  it('lets the plans pass that it names or that list it', () => {
    expect([...(toPlanGate(compiled, 'project:export', ['gold'])?.plans ?? [])]).toEqual(['gold', 'pro', 'enterprise']);
    expect(passes('project:export', undefined, {})).toBe(false);
    expect(passes('project:export', undefined, { subscriptions: [plan('pro')] })).toBe(true);
    expect(passes('project:export', ['gold'], { subscriptions: [plan('gold', { group: 'support' })] })).toBe(true);
    expect(passes('project:export', [], {})).toBe(false);
  });

  it('lets an add-on pass while it is compatible', () => {
    const addOns = [{ name: 'extra-exports', quantity: 1 }];
    expect(passes('project:schedule', undefined, { addOns, subscriptions: [plan('pro')] })).toBe(true);
    expect(passes('project:schedule', undefined, { addOns, subscriptions: [plan('enterprise')] })).toBe(false);
    expect(passes('task:read', ['extra-exports'], { addOns, subscriptions: [plan('pro')] })).toBe(true);
  });

  it('stays closed for names of inherited properties', () => {
    expect(passes('project:read', ['__proto__', 'constructor'], { model: { plans: {} } })).toBe(false);
    expect(toPlanGate(compiled, 'constructor', undefined)).toBeNull();
  });
});
