import type { EventRecord, Stores } from '@x/store';
import { describe, expect, it } from 'vitest';
import { createAccessContext } from '../context/access-context.ts';
import { defineAccess } from '../definition/define-access.ts';
import { engines } from '../testing/engines.ts';
import { createAccessAdmin } from './create-access-admin.ts';

const definition = defineAccess({
  entities: { project: { roles: ['manager'] } },
  entitlements: { 'project:create': { roles: [] }, 'project:export': { roles: [] } },
  plans: {
    free: { group: 'base', features: ['project:create'], limits: { projects: { gates: 'project:create', max: 3 } } },
    pro: {
      group: 'base',
      features: ['project:create', 'project:export'],
      limits: {
        projects: { gates: 'project:create', max: -1 },
        exports: { gates: 'project:export', per: 'day', max: 5 },
        monthly: { gates: 'project:export', per: 'month', max: 50 },
      },
    },
    enterprise: { group: 'base', features: ['project:create', 'project:export'] },
    gold: { group: 'support', features: [] },
    'extra-exports': {
      addOn: true,
      requires: { group: 'base', plans: ['pro'] },
      limits: { exports: { gates: 'project:export', per: 'day', max: 10 } },
    },
    badge: { addOn: true },
  },
});

const operator = { by: 'root' };

/** Opens the administration of a new database, and the stores that tests read. */
function open({ stores }: { readonly stores: Stores }) {
  return {
    admin: createAccessAdmin({ definition, stores }),
    logged: async (tenantId: string): Promise<readonly Pick<EventRecord, 'type' | 'detail'>[]> => {
      const { items } = await stores.events.listByTenant(tenantId, { limit: 50, after: null });
      return items.map(({ type, detail }) => ({ type, detail }));
    },
    limitsOf: async (tenantId: string): Promise<readonly unknown[]> => {
      const access = createAccessContext({
        userId: 'ann',
        definition,
        roleStore: stores.roleAssignments,
        closureStore: stores.hierarchy,
        subscriptionStore: stores.subscriptions,
        orgResolver: () => tenantId,
        now: () => stores.clock.now(),
      });
      const { limits } = await access.explain('project:export');
      return limits.map(({ key, max }) => [key, max]);
    },
  };
}

describe.for(engines)('plans on $name', (engine) => {
  it('are assigned in their own group, with an event', async () => {
    await using opened = await engine.open();
    const { admin, logged } = open(opened);
    const { subscriptions, clock } = opened.stores;
    expect(await admin.assignPlan('t', 'pro', operator)).toEqual({ incompatible: [] });
    const terms = { startedAt: new Date('2026-01-31T00:00:00.000Z'), expiresAt: new Date('2026-03-01T00:00:00.000Z') };
    await admin.assignPlan('t', 'gold', operator, terms);
    await admin.assignPlan('t', 'enterprise', operator);
    const { subscriptions: plans } = await subscriptions.read('t');
    expect(plans.toSorted((a, b) => (a.group < b.group ? -1 : 1))).toEqual([
      { group: 'base', planName: 'enterprise', startedAt: clock.now(), expiresAt: null },
      { group: 'support', planName: 'gold', ...terms },
    ]);
    const started = { startedAt: clock.now().toISOString(), expiresAt: null, by: 'root' };
    const dates = { startedAt: '2026-01-31T00:00:00.000Z', expiresAt: '2026-03-01T00:00:00.000Z' };
    const events = await logged('t');
    expect(events).toHaveLength(3);
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'plan.assigned', detail: { plan: 'pro', group: 'base', ...started } },
        { type: 'plan.assigned', detail: { plan: 'gold', group: 'support', ...started, ...dates } },
        { type: 'plan.assigned', detail: { plan: 'enterprise', group: 'base', ...started } },
      ]),
    );
    expect((await opened.stores.events.listByTenant('t', { limit: 1, after: null })).items[0]?.userId).toBeNull();
  });

  it('have compatible add-ons, and report those that no longer fit', async () => {
    await using opened = await engine.open();
    const { admin, logged, limitsOf } = open(opened);
    await expect(admin.attachAddOn('t', 'extra-exports', operator)).rejects.toMatchObject({
      code: 'CONFLICT',
      extras: { meta: { requiredPlans: ['pro'] } },
    });
    expect((await opened.stores.subscriptions.read('t')).addOns).toEqual([]);
    await admin.attachAddOn('t', 'badge', operator);
    await admin.assignPlan('t', 'pro', operator);
    await admin.attachAddOn('t', 'extra-exports', operator, 2);
    expect(await limitsOf('t')).toEqual([
      ['exports', 25],
      ['monthly', 50],
    ]);
    expect(await admin.assignPlan('t', 'enterprise', operator)).toEqual({ incompatible: ['extra-exports'] });
    expect(await limitsOf('t')).toEqual([]);
    expect(await admin.assignPlan('t', 'pro', operator)).toEqual({ incompatible: [] });
    expect(await limitsOf('t')).toEqual([
      ['exports', 25],
      ['monthly', 50],
    ]);
    expect(await admin.detachAddOn('t', 'extra-exports', operator)).toBe(true);
    expect(await admin.detachAddOn('t', 'extra-exports', operator)).toBe(false);
    expect((await opened.stores.subscriptions.read('t')).addOns).toEqual([{ name: 'badge', quantity: 1 }]);
    const events = (await logged('t')).filter(({ type }) => type.startsWith('add_on.'));
    expect(events).toHaveLength(3);
    expect(events).toEqual(
      expect.arrayContaining([
        { type: 'add_on.attached', detail: { addOn: 'badge', quantity: 1, by: 'root' } },
        { type: 'add_on.attached', detail: { addOn: 'extra-exports', quantity: 2, by: 'root' } },
        { type: 'add_on.detached', detail: { addOn: 'extra-exports', by: 'root' } },
      ]),
    );
  });

  it('have overrides that can only raise limits', async () => {
    await using opened = await engine.open();
    const { admin, logged, limitsOf } = open(opened);
    await admin.assignPlan('t', 'pro', operator);
    await admin.setOverrides('t', { exports: { max: 7 } }, operator);
    expect(await limitsOf('t')).toEqual([
      ['exports', 7],
      ['monthly', 50],
    ]);
    for (const [overrides, code] of [
      [{ exports: { max: 6 } }, 'too_small'],
      [{ 'project:export': { max: 20 } }, 'too_small'],
      [{ projects: { max: 1_000_000 } }, 'too_small'],
      [{ nothing: { max: 7 } }, 'unknown_limit'],
      [{ toString: { max: 7 } }, 'unknown_limit'],
      ...[0, -2, 1.5, Number.NaN, Infinity, 2 ** 53, '8' as never].map(
        (max) => [{ exports: { max } }, 'invalid_limit'] as const,
      ),
    ] as const) {
      const [name = ''] = Object.keys(overrides);
      await expect(admin.setOverrides('t', overrides, operator), name).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        extras: { issues: [{ path: [name], code }] },
      });
    }
    await expect(
      admin.setOverrides('t', { monthly: { max: 60 }, exports: { max: 1 } }, operator),
    ).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await limitsOf('t')).toEqual([
      ['exports', 7],
      ['monthly', 50],
    ]);
    await admin.setOverrides('t', { 'project:export': { max: 60 } }, operator);
    await admin.setOverrides('t', { exports: { max: -1 }, monthly: { max: 70 } }, operator);
    expect(await limitsOf('t')).toEqual([
      ['exports', -1],
      ['monthly', 70],
    ]);
    const events = (await logged('t')).filter(({ type }) => type === 'limits.raised');
    expect(events.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        { overrides: { exports: 7 }, by: 'root' },
        { overrides: { 'project:export': 60 }, by: 'root' },
        { overrides: { exports: -1, monthly: 70 }, by: 'root' },
      ]),
    );
    expect(events).toHaveLength(3);
  });
});

it('refuses invalid plans, add-ons, quantities and moments, and stores nothing', async () => {
  const [engine = expect.unreachable()] = engines;
  await using opened = await engine.open();
  const { admin, logged } = open(opened);
  const never = new Date(Number.NaN);
  const [early, late] = [new Date(0), new Date(1)];
  const refused = { code: 'VALIDATION_FAILED' };
  for (const name of ['gone', 'badge', '__proto__', 'constructor']) {
    await expect(admin.assignPlan('t', name as 'pro', operator)).rejects.toMatchObject(refused);
  }
  for (const name of ['gone', 'pro', '__proto__', 'constructor']) {
    await expect(admin.attachAddOn('t', name as 'badge', operator)).rejects.toMatchObject(refused);
    await expect(admin.detachAddOn('t', name as 'badge', operator)).rejects.toMatchObject(refused);
  }
  for (const quantity of [0, -1, 1.5, Number.NaN, Infinity, 2 ** 53]) {
    await expect(admin.attachAddOn('t', 'badge', operator, quantity)).rejects.toMatchObject(refused);
  }
  for (const terms of [{ startedAt: never }, { expiresAt: never }, { startedAt: late, expiresAt: early }]) {
    await expect(admin.assignPlan('t', 'pro', operator, terms)).rejects.toMatchObject(refused);
  }
  for (const tenantId of ['\0', '\uD800']) {
    await expect(admin.assignPlan(tenantId, 'pro', operator)).rejects.toMatchObject(refused);
    await expect(admin.attachAddOn(tenantId, 'badge', operator)).rejects.toMatchObject(refused);
    await expect(admin.detachAddOn(tenantId, 'badge', operator)).rejects.toMatchObject(refused);
    await expect(admin.setOverrides(tenantId, {}, operator)).rejects.toMatchObject(refused);
  }
  expect(await opened.stores.subscriptions.read('t')).toMatchObject({ subscriptions: [], addOns: [], overrides: [] });
  expect(await logged('t')).toEqual([]);
});
