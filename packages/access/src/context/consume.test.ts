import { storeUnavailable, type Stores, type UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { ManualClock } from '@x/store-testing/clock';
import { describe, expect, it } from 'vitest';
import type { AccessModel } from '../definition/access-model.ts';
import { defineAccess } from '../definition/define-access.ts';
import { engines } from '../testing/engines.ts';
import { recordSources, type RecordingSources } from '../testing/recording-stores.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';
import type { AccessStores } from '../reads/access-reads.ts';

const trialModel = {
  entities: { team: { roles: ['lead'] } },
  entitlements: {
    'team:read': { roles: ['lead'] },
    'team:export': { roles: ['lead'], flags: ['exports'] },
    'team:report': { roles: ['lead'], plans: ['pro'] },
    'team:send': { roles: [] },
  },
  plans: {
    free: {
      group: 'base',
      features: ['team:read'],
      limits: { exports: { gates: 'team:export', per: 'month', max: 1 } },
    },
    pro: {
      group: 'base',
      features: ['team:read', 'team:export'],
      limits: {
        exports: { gates: 'team:export', per: 'month', max: 5 },
        'exports-a-day': { gates: 'team:export', per: 'day', max: 2 },
        sent: { gates: 'team:send', max: -1 },
      },
    },
    none: {
      group: 'base',
      features: ['team:export'],
      limits: { exports: { gates: 'team:export', per: 'month', max: 0 } },
    },
    'more-exports': {
      addOn: true,
      limits: { 'exports-a-day': { gates: 'team:export', per: 'day', max: 1 } },
      requires: { group: 'base', plans: ['pro'] },
    },
  },
} as const satisfies AccessModel;

const definition = defineAccess(trialModel);

const team = { type: 'team', id: 't' } as const;

const day = 86_400_000;

interface Opened {
  readonly stores: Stores;
  readonly clock: ManualClock;
  /** Opens the access of a user as a request does. */
  readonly open: (userId?: string | null, sources?: Partial<AccessStores>) => AccessContext;
  readonly sources: RecordingSources;
}

/** A team on plan pro since January 31, led by ann and ben. */
async function prepare(planName: string | null = 'pro'): Promise<Opened> {
  const clock = new ManualClock('2026-02-10T12:00:00.000Z');
  const stores = createMemoryStores({ clock });
  for (const userId of ['ann', 'ben'] as UserId[]) {
    await stores.roleAssignments.assign({ userId, resource: team, role: 'lead' });
  }
  await stores.flags.set({ tenantId: null, name: 'exports' }, true);
  if (planName)
    await stores.subscriptions.assign({
      tenantId: 'acme',
      planName,
      group: 'base',
      startedAt: new Date('2026-01-31T10:00:00.000Z'),
    });
  const sources = recordSources(stores);
  const open = (userId: string | null = 'ann', own: Partial<AccessStores> = {}): AccessContext =>
    createAccessContext({ userId, definition, ...sources, orgResolver: () => 'acme', now: () => clock.now(), ...own });
  return { stores, clock, open, sources };
}

async function counted({ stores }: Opened, ...starts: readonly string[]): Promise<readonly number[]> {
  const [month = '2026-01-31T10:00:00.000Z', ofDay = '2026-02-10T10:00:00.000Z'] = starts;
  return stores.wallets.readMany([
    { tenantId: 'acme', limit: 'exports', periodStart: new Date(month) },
    { tenantId: 'acme', limit: 'exports-a-day', periodStart: new Date(ofDay) },
  ]);
}

describe('consume', () => {
  it('consumes from all limits, until one of them has nothing left', async () => {
    const opened = await prepare();
    const access = opened.open();
    for (const left of [1, 2]) {
      expect(await access.can('team:export', team)).toBe(true);
      expect(await access.canAndConsume('team:export', team)).toBe(true);
      expect(await counted(opened)).toEqual([left, left]);
    }
    expect(await access.can('team:export', team)).toBe(false);
    expect(await access.canAndConsume('team:export', team)).toBe(false);
    const limit = { key: 'exports-a-day', max: 2, consumed: 2, remaining: 0, resetsAt: '2026-02-11T10:00:00.000Z' };
    const denied = { allowed: false, reasons: ['limit_reached'], reason: 'limit_reached', meta: { limit } };
    expect(await access.check('team:export', team)).toEqual(denied);
    expect(await access.consume('team:export', team)).toEqual({ ...denied, receipt: null });
    expect(await counted(opened)).toEqual([2, 2]);
    await expect(access.authorize('team:export', team)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it('starts anew at the moment when each period starts', async () => {
    const opened = await prepare();
    const { clock, open } = opened;
    for (const isLeft of [true, true, false]) expect(await open().canAndConsume('team:export', team)).toBe(isLeft);
    clock.advance(22 * 3_600_000 - 1);
    expect(await open().canAndConsume('team:export', team)).toBe(false);
    clock.advance(1);
    for (const isLeft of [true, true, false]) expect(await open().canAndConsume('team:export', team)).toBe(isLeft);
    clock.advance(day);
    for (const isLeft of [true, false]) expect(await open().canAndConsume('team:export', team)).toBe(isLeft);
    expect((await open().check('team:export', team)).meta?.limit).toMatchObject({
      key: 'exports',
      resetsAt: '2026-02-28T10:00:00.000Z',
    });
  });

  it('takes an amount as a whole, and add-ons and overrides into account', async () => {
    const opened = await prepare();
    const { stores, open } = opened;
    expect(await open().canAndConsume('team:export', team, { amount: 3 })).toBe(false);
    await stores.subscriptions.attach({ tenantId: 'acme', addOn: 'more-exports', quantity: 2 });
    expect(await open().canAndConsume('team:export', team, { amount: 4 })).toBe(true);
    expect(await open().canAndConsume('team:export', team, { amount: 1 })).toBe(false);
    await stores.subscriptions.updateOverrides('acme', { 'team:export': { max: 6 } });
    expect(await open().canAndConsume('team:export', team, { amount: 2 })).toBe(true);
    expect(await counted(opened)).toEqual([6, 6]);
  });

  it('counts an unlimited entitlement, but not one without a limit', async () => {
    const { stores, open } = await prepare();
    const { receipt } = await open().consume('team:send', undefined, { amount: 7 });
    expect(receipt).toMatchObject({ entries: [{ limit: 'sent', periodStart: new Date(0), amount: 7 }] });
    expect(await stores.wallets.readMany([{ tenantId: 'acme', limit: 'sent', periodStart: new Date(0) }])).toEqual([7]);
    expect(await open().consume('team:read', team)).toEqual({ allowed: true, reasons: [], receipt: null });
  });

  it('never allows a limit of 0, whether usage is counted or not', async () => {
    const { open } = await prepare('none');
    const { roleStore, closureStore, flagStore, subscriptionStore } = (await prepare('none')).sources;
    const uncounted = { roleStore, closureStore, flagStore, subscriptionStore };
    expect(await open().canAndConsume('team:export', team)).toBe(false);
    const access = createAccessContext({ ...uncounted, userId: 'ann', definition, orgResolver: () => 'acme' });
    expect([await access.can('team:export', team), await access.canAndConsume('team:export', team)]).toEqual([
      false,
      false,
    ]);
    expect(await access.consume('team:export', team)).toMatchObject({ reasons: ['limit_reached'], receipt: null });
    expect(await access.unconsume('team:export', team)).toBe(false);
  });

  it.for([0, -1, 0.5, Number.NaN, Infinity, 2 ** 53])('refuses an amount of %d', async (amount) => {
    const opened = await prepare();
    const access = opened.open();
    const refused = { code: 'VALIDATION_FAILED' };
    await expect(access.canAndConsume('team:export', team, { amount })).rejects.toMatchObject(refused);
    await expect(access.consume('team:export', team, { amount })).rejects.toMatchObject(refused);
    await expect(access.unconsume('team:export', team, { amount })).rejects.toMatchObject(refused);
    expect(opened.sources.calls).toEqual([]);
  });
});

describe('a denial by another layer', () => {
  it('leaves the wallet alone', async () => {
    const opened = await prepare();
    const { stores, open, sources } = opened;
    expect(await open('eve').canAndConsume('team:export', team)).toBe(false);
    expect(await open(null).canAndConsume('team:export', team)).toBe(false);
    expect(await open(null).unconsume('team:export', team)).toBe(false);
    expect(await open().canAndConsume('team:exprot', team)).toBe(false);
    expect(await open().canAndConsume('team:export', { type: 'taem', id: 't' })).toBe(false);
    await stores.flags.set({ tenantId: 'acme', name: 'exports' }, false);
    expect((await open().consume('team:export', team)).reasons).toEqual(['flag_disabled']);
    await stores.flags.set({ tenantId: 'acme', name: 'exports' }, true);
    await stores.subscriptions.assign({ tenantId: 'acme', planName: 'free', group: 'base' });
    expect(await open().consume('team:export', team)).toEqual({
      allowed: false,
      reasons: ['plan_required'],
      reason: 'plan_required',
      meta: { requiredPlans: ['pro', 'none'] },
      receipt: null,
    });
    expect(sources.calls.filter((call) => ['consume', 'credit', 'unconsume'].includes(call))).toEqual([]);
    expect(await counted(opened)).toEqual([0, 0]);
  });

  it('is reported together with the others, the most actionable first', async () => {
    const { stores, open } = await prepare('free');
    await stores.flags.set({ tenantId: 'acme', name: 'exports' }, false);
    const debits = [{ limit: 'exports', periodStart: new Date('2026-01-31T10:00:00.000Z'), amount: 1, max: -1 }];
    await stores.wallets.consume({ tenantId: 'acme', receiptId: 'r', debits });
    expect((await open('eve').check('team:export', team)).reasons).toEqual([
      'plan_required',
      'role_required',
      'limit_reached',
      'flag_disabled',
    ]);
  });
});

describe('a plan', () => {
  it('includes the entitlements that it lists and those that name it, until the moment when it expires', async () => {
    const { stores, clock, open } = await prepare();
    const expiresAt = new Date(clock.now().getTime() + 1000);
    await stores.subscriptions.assign({
      tenantId: 'acme',
      planName: 'pro',
      group: 'base',
      startedAt: clock.now(),
      expiresAt,
    });
    clock.advance(999);
    expect(await open().can('team:report', team)).toBe(true);
    clock.advance(1);
    expect((await open().check('team:report', team)).meta).toEqual({ requiredPlans: ['pro'] });
    expect(await open().can('team:read', team)).toBe(true);
  });

  it('is absent without a fallback, which denies everything that needs a plan', async () => {
    const model: AccessModel = {
      ...trialModel,
      plans: Object.fromEntries(Object.entries(trialModel.plans).filter(([name]) => name !== 'free')),
    };
    const unfree = defineAccess(model);
    const { sources } = await prepare(null);
    const access = createAccessContext({ ...sources, userId: 'ann', definition: unfree, orgResolver: () => 'acme' });
    for (const entitlement of ['team:read', 'team:export', 'team:report'] as const) {
      expect((await access.check(entitlement, team)).reasons).toEqual(['plan_required']);
    }
    expect(await access.can('team:send')).toBe(true);
  });

  it('is absent without a tenant', async () => {
    const { open } = await prepare();
    const access = open('ann', { orgResolver: () => null });
    expect((await access.check('team:read', team)).reasons).toEqual(['plan_required']);
    expect(await access.canAndConsume('team:export', team)).toBe(false);
  });
});

describe('unconsume', () => {
  it('takes back each consumption of the context once, the last first, in its own periods', async () => {
    const opened = await prepare();
    const access = opened.open();
    await access.canAndConsume('team:export', team);
    opened.clock.advance(day);
    await access.canAndConsume('team:export', team, { amount: 2 });
    expect(await counted(opened, undefined as never, '2026-02-11T10:00:00.000Z')).toEqual([3, 2]);
    expect(await access.unconsume('team:export', team)).toBe(true);
    expect(await counted(opened, undefined as never, '2026-02-11T10:00:00.000Z')).toEqual([1, 0]);
    expect(await access.unconsume('team:export', team)).toBe(true);
    expect(await counted(opened)).toEqual([0, 0]);
    expect(await access.can('team:export', team)).toBe(true);
  });

  it('takes back the consumption of a given receipt once', async () => {
    const opened = await prepare();
    const { receipt } = await opened.open().consume('team:export', team);
    await opened.open('ben').consume('team:export', team);
    if (!receipt) throw new TypeError('unreachable');
    opened.clock.advance(40 * day);
    expect(await opened.open().unconsume('team:export', team, { receipt })).toBe(true);
    expect(await opened.open().unconsume('team:export', team, { receipt })).toBe(false);
    expect(await counted(opened)).toEqual([1, 1]);
  });

  it('credits the current periods if there is no receipt, none below 0', async () => {
    const opened = await prepare();
    await opened.open().canAndConsume('team:export', team, { amount: 2 });
    opened.clock.advance(day);
    expect(await opened.open().unconsume('team:export', team)).toBe(true);
    expect(await counted(opened)).toEqual([1, 2]);
    expect(await opened.open().unconsume('team:export', team, { amount: 9 })).toBe(true);
    expect(await counted(opened)).toEqual([0, 2]);
    expect(await opened.open().unconsume('team:read', team)).toBe(false);
    expect(await opened.open().unconsume('team:exprot', team)).toBe(false);
  });
});

describe('unconsume of a moment', () => {
  it('credits the periods of then that have not ended, whatever the context has consumed since', async () => {
    const opened = await prepare();
    const access = opened.open();
    const consumedAt = [opened.clock.now(), opened.clock.now()];
    await access.canAndConsume('team:export', team, { amount: 2 });
    opened.clock.advance(day);
    await access.canAndConsume('team:export', team, { amount: 2 });
    consumedAt.push(opened.clock.now());
    expect(await access.unconsume('team:export', team, { consumedAt })).toBe(true);
    expect(await counted(opened)).toEqual([1, 2]);
    expect(await counted(opened, undefined as never, '2026-02-11T10:00:00.000Z')).toEqual([1, 1]);
  });
});

describe('an idempotency key', () => {
  it('makes a repetition by the same user for the same resource count once', async () => {
    const opened = await prepare();
    const first = await opened.open().consume('team:export', team, { idempotencyKey: 'k' });
    expect(await opened.open().consume('team:export', team, { idempotencyKey: 'k' })).toEqual(first);
    expect(await counted(opened)).toEqual([1, 1]);
    const other = await opened.open('ben').consume('team:export', team, { idempotencyKey: 'k' });
    expect(other.receipt?.id).not.toBe(first.receipt?.id);
    expect(await counted(opened)).toEqual([2, 2]);
  });

  it('cannot be used with another amount', async () => {
    const opened = await prepare();
    await opened.open().consume('team:export', team, { idempotencyKey: 'k' });
    const consuming = opened.open().consume('team:export', team, { idempotencyKey: 'k', amount: 2 });
    await expect(consuming).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await counted(opened)).toEqual([1, 1]);
  });
});

it.for(['subscriptionStore', 'walletStore'] as const)('allows nothing if the %s fails', async (name) => {
  const fail = async (): Promise<never> => {
    throw storeUnavailable();
  };
  const { open } = await prepare();
  const access = open('ann', { [name]: { readMany: fail, consume: fail, unconsume: fail, credit: fail } });
  const unavailable = { code: 'SERVICE_UNAVAILABLE' };
  expect(await access.can('team:export', team)).toBe(false);
  expect(await access.canAndConsume('team:export', team)).toBe(false);
  expect((await access.canAll([{ entitlement: 'team:export', resource: team }])).can('team:export', team)).toBe(false);
  await expect(access.authorize('team:export', team)).rejects.toMatchObject(unavailable);
  await expect(access.consume('team:export', team)).rejects.toMatchObject(unavailable);
  await expect(access.unconsume('team:export', team)).rejects.toMatchObject(unavailable);
});

it('an explanation contains the plan, the add-ons, the overrides and the counters', async () => {
  const { stores, open } = await prepare();
  await stores.subscriptions.attach({ tenantId: 'acme', addOn: 'more-exports' });
  await stores.subscriptions.updateOverrides('acme', { 'team:export': { max: 4 }, other: { max: 9 } });
  await open().canAndConsume('team:export', team);
  const { plans, limits, allowed } = await open().explain('team:export', team);
  expect({ plans, limits, allowed }).toEqual({
    allowed: true,
    plans: {
      basePlans: [{ group: 'base', name: 'pro', isFallback: false }],
      addOns: [{ name: 'more-exports', quantity: 1 }],
      incompatible: [],
      overrides: [{ name: 'team:export', max: 4 }],
      enough: ['pro', 'none'],
    },
    limits: [
      { key: 'exports', max: 5, consumed: 1, remaining: 4, resetsAt: '2026-02-28T10:00:00.000Z' },
      { key: 'exports-a-day', max: 4, consumed: 1, remaining: 3, resetsAt: '2026-02-11T10:00:00.000Z' },
    ],
  });
});

it('`consume` makes two waves of calls, `can` one call for each layer, `canAll` four', async () => {
  const first = await prepare();
  expect(await first.open().canAndConsume('team:export', team)).toBe(true);
  expect(first.sources.calls.toSorted()).toEqual(['consume', 'readMany', 'readPaths', 'readPlans']);
  expect(first.sources.waves()).toBe(2);
  const second = await prepare();
  expect(await second.open().can('team:export', team)).toBe(true);
  expect(second.sources.calls).toEqual(['readMany', 'readPaths', 'readPlans', 'readCounters']);
  const third = await prepare();
  await third.open().check('team:export', team);
  expect(third.sources.waves()).toBe(2);
  const fourth = await prepare();
  const checks = Array.from({ length: 100 }, (_, at) => ({
    entitlement: (['team:export', 'team:read', 'team:report', 'team:send'] as const)[at % 4] ?? 'team:read',
    resource: { type: 'team', id: String(at) } as const,
  }));
  await fourth.open('ann', { orgResolver: (resource) => resource?.id }).canAll(checks);
  expect(fourth.sources.calls.toSorted()).toEqual(['readCounters', 'readMany', 'readPaths', 'readPlans']);
});

it.for(engines)('allows exactly as many concurrent uses on $name as are left', async (engine) => {
  const isFull = process.env['DEEP'] && engine.name === 'postgres';
  const [uses, max] = isFull ? [10_000, 1000] : [600, 100];
  const limited = defineAccess({
    entities: { team: { roles: ['lead'] } },
    entitlements: { 'team:export': { roles: ['lead'] } },
    plans: {
      free: {
        group: 'base',
        features: ['team:export'],
        limits: { month: { gates: 'team:export', per: 'month', max }, ever: { gates: 'team:export', max: max + 1 } },
      },
    },
  });
  await using opened = await engine.open();
  const { stores } = opened;
  await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: team, role: 'lead' });
  const use = async (): Promise<boolean> =>
    createAccessContext({
      userId: 'ann',
      definition: limited,
      roleStore: stores.roleAssignments,
      closureStore: stores.hierarchy,
      subscriptionStore: stores.subscriptions,
      walletStore: stores.wallets,
      orgResolver: () => 'acme',
      now: () => stores.clock.now(),
    }).canAndConsume('team:export', team);
  const outcomes: boolean[] = [];
  while (outcomes.length < uses) outcomes.push(...(await Promise.all(Array.from({ length: 50 }, use))));
  expect(outcomes.filter(Boolean)).toHaveLength(max);
});
