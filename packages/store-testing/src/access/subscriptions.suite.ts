import type { LimitOverride, TenantPlans } from '@x/store';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what every subscription store does. */
export function describeSubscriptions(it: StoreTest): void {
  describe('subscriptions', () => {
    describePlans(it);
    describeOverrides(it);
    describeAddOns(it);
    describeReading(it);
  });
}

function describePlans(it: StoreTest): void {
  it('keep one plan in each group, the last that was assigned', async ({ stores, clock }) => {
    const { subscriptions } = stores;
    const [startedAt, expiresAt] = [new Date('2025-01-31T10:00:00.000Z'), new Date('2027-01-01T00:00:00.000Z')];
    expect(
      await subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base', startedAt, expiresAt }),
    ).toEqual({
      group: 'base',
      planName: 'pro',
      startedAt,
      expiresAt,
    });
    const support = await subscriptions.assign({ tenantId: 'acme', planName: 'gold', group: 'support' });
    expect(support).toEqual({ group: 'support', planName: 'gold', startedAt: clock.now(), expiresAt: null });
    clock.advance(1000);
    const next = await subscriptions.assign({ tenantId: 'acme', planName: 'free', group: 'base', expiresAt: null });
    expect(next).toEqual({ group: 'base', planName: 'free', startedAt: clock.now(), expiresAt: null });
    expect(sorted(await subscriptions.read('acme'))).toEqual({
      tenantId: 'acme',
      subscriptions: [next, support],
      addOns: [],
      overrides: [],
    });
  });

  it('still return an expired plan, also one that ended before it was assigned', async ({ stores, clock }) => {
    const expiresAt = new Date(clock.now().getTime() - 1);
    await stores.subscriptions.assign({
      tenantId: 'acme',
      planName: 'pro',
      group: 'base',
      startedAt: clock.now(),
      expiresAt,
    });
    expect(await stores.subscriptions.read('acme')).toMatchObject({ subscriptions: [{ planName: 'pro', expiresAt }] });
  });

  it('keep moments to the millisecond, before 1970 and far ahead', async ({ stores }) => {
    const [startedAt, expiresAt] = [new Date(-62_135_596_800_001), new Date(8.64e15)];
    await stores.subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base', startedAt, expiresAt });
    expect(await stores.subscriptions.read('acme')).toMatchObject({ subscriptions: [{ startedAt, expiresAt }] });
  });

  it('refuse an invalid date', async ({ stores }) => {
    const { subscriptions } = stores;
    const none = new Date(Number.NaN);
    await expect(
      subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base', startedAt: none }),
    ).rejects.toThrow(TypeError);
    await expect(
      subscriptions.assign({
        tenantId: 'acme',
        planName: 'pro',
        group: 'base',
        startedAt: new Date(0),
        expiresAt: none,
      }),
    ).rejects.toThrow(TypeError);
    expect((await subscriptions.read('acme')).subscriptions).toEqual([]);
  });

  it('are not affected when the caller changes moments or records afterwards', async ({ stores, clock }) => {
    const [startedAt, expiresAt] = [new Date(clock.now()), new Date(clock.now())];
    const assigning = stores.subscriptions.assign({
      tenantId: 'acme',
      planName: 'pro',
      group: 'base',
      startedAt,
      expiresAt,
    });
    startedAt.setTime(0);
    expiresAt.setTime(0);
    (await assigning).startedAt.setTime(0);
    const [read] = (await stores.subscriptions.read('acme')).subscriptions;
    read?.startedAt.setTime(0);
    expect(await stores.subscriptions.read('acme')).toMatchObject({
      subscriptions: [{ startedAt: clock.now(), expiresAt: clock.now() }],
    });
  });

  it('are all removed for one tenant, and none for another', async ({ stores, processes }) => {
    for (const tenantId of ['acme', 'other']) {
      await stores.subscriptions.assign({ tenantId, planName: 'pro', group: 'base' });
      await stores.subscriptions.assign({ tenantId, planName: 'gold', group: 'support' });
      await stores.subscriptions.attach({ tenantId, addOn: 'extra' });
      await stores.subscriptions.updateOverrides(tenantId, { a: { max: 1 }, b: { max: 2 } });
    }
    const other = await stores.subscriptions.read('other');
    await processes[0].subscriptions.remove('acme');
    await processes[0].subscriptions.remove('nobody');
    expect(await stores.subscriptions.read('acme')).toEqual(nothing('acme'));
    expect(await stores.subscriptions.read('other')).toEqual(other);
  });

  it('are restored when the transaction that changed them is rolled back', async ({ stores }) => {
    await stores.subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base' });
    await stores.subscriptions.attach({ tenantId: 'acme', addOn: 'extra', quantity: 2 });
    await stores.subscriptions.updateOverrides('acme', { a: { max: 1 } });
    const before = await stores.subscriptions.read('acme');
    await expectRolledBack(stores, async (inside) => {
      await inside.subscriptions.remove('acme');
      expect(await inside.subscriptions.read('acme')).toEqual(nothing('acme'));
      await inside.subscriptions.assign({ tenantId: 'acme', planName: 'free', group: 'base' });
      await inside.subscriptions.attach({ tenantId: 'acme', addOn: 'extra', quantity: 7 });
      await inside.subscriptions.updateOverrides('acme', { a: { max: 9 } });
      expect(await inside.subscriptions.read('acme')).toMatchObject({
        subscriptions: [{ planName: 'free' }],
        addOns: [{ name: 'extra', quantity: 7 }],
        overrides: [{ name: 'a', max: 9 }],
      });
    });
    expect(await stores.subscriptions.read('acme')).toEqual(before);
  });
}

function describeOverrides(it: StoreTest): void {
  it('only ever raise an override, and unlimited is the greatest', async ({ stores }) => {
    const overridesAfter = async (max: number): Promise<readonly LimitOverride[]> => {
      await stores.subscriptions.updateOverrides('acme', { tasks: { max } });
      return (await stores.subscriptions.read('acme')).overrides;
    };
    expect(await overridesAfter(10)).toEqual([{ name: 'tasks', max: 10 }]);
    expect(await overridesAfter(9)).toEqual([{ name: 'tasks', max: 10 }]);
    expect(await overridesAfter(Number.MAX_SAFE_INTEGER)).toEqual([{ name: 'tasks', max: Number.MAX_SAFE_INTEGER }]);
    expect(await overridesAfter(-1)).toEqual([{ name: 'tasks', max: -1 }]);
    expect(await overridesAfter(Number.MAX_SAFE_INTEGER)).toEqual([{ name: 'tasks', max: -1 }]);
  });

  it('keep overrides that are not named', async ({ stores }) => {
    await stores.subscriptions.updateOverrides('acme', { a: { max: 1 }, b: { max: 2 } });
    await stores.subscriptions.updateOverrides('acme', { b: { max: 3 }, c: { max: 4 } });
    await stores.subscriptions.updateOverrides('acme', {});
    await stores.subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base' });
    expect(sorted(await stores.subscriptions.read('acme')).overrides).toEqual([
      { name: 'a', max: 1 },
      { name: 'b', max: 3 },
      { name: 'c', max: 4 },
    ]);
  });

  it('refuse negative, zero, fractional and huge numbers, and change nothing', async ({ stores }) => {
    const { subscriptions } = stores;
    for (const max of [0, -2, 0.5, 1.5, Number.NaN, Infinity, -Infinity, 2 ** 53]) {
      const updating = subscriptions.updateOverrides('acme', { good: { max: 5 }, bad: { max } });
      await expect(updating, `${max}`).rejects.toThrow(TypeError);
      if (max !== -1)
        await expect(
          subscriptions.attach({ tenantId: 'acme', addOn: 'extra', quantity: max }),
          `${max}`,
        ).rejects.toThrow(TypeError);
    }
    await expect(subscriptions.attach({ tenantId: 'acme', addOn: 'extra', quantity: -1 })).rejects.toThrow(TypeError);
    expect(await subscriptions.read('acme')).toEqual(nothing('acme'));
  });

  it('end at the greatest of each override after any sequence', async ({ stores, rounds }) => {
    let run = 0;
    const max = fc.oneof(
      { weight: 9, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 1, arbitrary: fc.constant(-1) },
    );
    const updates = fc.array(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.record({ max })), { maxLength: 6 });
    const merges = fc.asyncProperty(updates, async (given) => {
      const tenantId = `tenant ${(run += 1)}`;
      const greatest = new Map<string, number>();
      for (const update of given) {
        await stores.subscriptions.updateOverrides(tenantId, update);
        for (const [name, override] of Object.entries(update)) {
          const values = [greatest.get(name) ?? override.max, override.max];
          greatest.set(name, values.includes(-1) ? -1 : Math.max(...values));
        }
      }
      const { overrides } = await stores.subscriptions.read(tenantId);
      expect(new Map(overrides.map((override) => [override.name, override.max]))).toEqual(greatest);
    });
    await fc.assert(merges, { numRuns: 3 * rounds });
  });
}

function describeAddOns(it: StoreTest): void {
  it('keep the last quantity of an add-on, and detach it as a whole', async ({ stores }) => {
    const { subscriptions } = stores;
    await subscriptions.attach({ tenantId: 'acme', addOn: 'seats', quantity: 5 });
    await subscriptions.attach({ tenantId: 'acme', addOn: 'seats', quantity: 3 });
    await subscriptions.attach({ tenantId: 'acme', addOn: 'exports' });
    await subscriptions.assign({ tenantId: 'acme', planName: 'pro', group: 'base' });
    expect(sorted(await subscriptions.read('acme')).addOns).toEqual([
      { name: 'exports', quantity: 1 },
      { name: 'seats', quantity: 3 },
    ]);
    expect(await subscriptions.detach({ tenantId: 'acme', addOn: 'seats' })).toBe(true);
    expect(await subscriptions.detach({ tenantId: 'acme', addOn: 'seats' })).toBe(false);
    expect(await subscriptions.detach({ tenantId: 'other', addOn: 'exports' })).toBe(false);
    expect((await subscriptions.read('acme')).addOns).toEqual([{ name: 'exports', quantity: 1 }]);
  });
}

function describeReading(it: StoreTest): void {
  it('are read for many tenants at once, in their order, as for each alone', async ({ stores }) => {
    const { subscriptions } = stores;
    for (const index of [0, 1, 2, 3, 4]) {
      await subscriptions.assign({ tenantId: `t${index}`, planName: 'pro', group: 'base' });
      if (index > 2) await subscriptions.attach({ tenantId: `t${index}`, addOn: 'extra', quantity: index });
      if (index > 3) await subscriptions.updateOverrides(`t${index}`, { a: { max: -1 } });
    }
    const asked = ['t3', 'nobody', 't4', 't0', 't3'];
    const read = await subscriptions.readMany(asked);
    expect(read).toEqual(await Promise.all(asked.map((tenantId) => subscriptions.read(tenantId))));
    expect(read.map(({ tenantId }) => tenantId)).toEqual(asked);
    expect(read[2]).toMatchObject({ addOns: [{ quantity: 4 }], overrides: [{ max: -1 }] });
    expect(await subscriptions.readMany([])).toEqual([]);
  });

  it('tell tenants and names apart by code points alone', async ({ stores }) => {
    const { subscriptions } = stores;
    for (const [index, text] of awkwardTexts.entries()) {
      await subscriptions.assign({ tenantId: text, planName: `plan ${text}`, group: text });
      await subscriptions.attach({ tenantId: 'one', addOn: text, quantity: index + 1 });
    }
    const all = Object.fromEntries(awkwardTexts.map((text, index) => [text, { max: index + 1 }]));
    await subscriptions.updateOverrides('one', all);
    const read = await subscriptions.readMany(awkwardTexts);
    expect(read.map((plans) => plans.subscriptions.map(({ group, planName }) => [group, planName]))).toEqual(
      awkwardTexts.map((text) => [[text, `plan ${text}`]]),
    );
    const { addOns, overrides } = await subscriptions.read('one');
    const quantities = new Map(awkwardTexts.map((text, index) => [text, index + 1]));
    expect(new Map(addOns.map(({ name, quantity }) => [name, quantity]))).toEqual(quantities);
    expect(overrides).toHaveLength(Object.keys(all).length);
  });
}

function nothing(tenantId: string): TenantPlans {
  return { tenantId, subscriptions: [], addOns: [], overrides: [] };
}

/** Puts the lists, which are in no particular order, in that of their names. */
function sorted(plans: TenantPlans): TenantPlans {
  return {
    tenantId: plans.tenantId,
    subscriptions: plans.subscriptions.toSorted((a, b) => (a.group < b.group ? -1 : 1)),
    addOns: plans.addOns.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    overrides: plans.overrides.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}
