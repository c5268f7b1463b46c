import type { Resource, Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { createSqliteStores } from '@x/store-sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { defineAccess, type AccessDefinition } from '../definition/define-access.ts';
import { recordSources, type RecordingSources } from '../testing/recording-stores.ts';
import { computeAccessSet } from './compute-access-set.ts';
import { computeEntityAccess } from './compute-entity-access.ts';
import { createAccessContext } from './access-context.ts';

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

/**
 * As many entitlements of every kind, under ten plans: with flags, limits, gates, without a role, and on a type below.
 */
function defineMany(count: number): AccessDefinition {
  const names = numbers(count).map((at) => `${at % 2 === 0 ? 'organization' : 'project'}:do${at}`);
  const limits = Object.fromEntries(
    names.slice(0, 20).map((gates, at) => [`limit${at}`, { gates, per: 'month', max: at % 3 } as const]),
  );
  return defineAccess({
    entities: {
      organization: { roles: ['owner', 'member'] },
      project: { roles: ['manager', 'viewer'], inherits: { 'organization:owner': 'manager' } },
    },
    entitlements: Object.fromEntries(
      names.map((name, at) => [
        name,
        {
          roles: at % 7 === 0 ? [] : name.startsWith('organization') ? ['owner'] : ['manager'],
          flags: at % 5 === 0 ? ['beta', `flag${at}`] : [],
        },
      ]),
    ),
    plans: Object.fromEntries(
      numbers(10).map((plan) => [
        `plan${plan}`,
        {
          group: `group${plan % 2}`,
          features: names.filter((_, at) => at % 10 > plan),
          limits: plan % 2 ? {} : limits,
        },
      ]),
    ),
    defaultPlan: 'plan4',
  });
}

const open = (): Stores => createMemoryStores({ clock: { now: () => new Date(0) } });

const four = ['readCounters', 'readMany', 'readPaths', 'readPlans'];

it.for([3, 200])('an access set of %i entitlements takes one call of each kind', async (count) => {
  const stores = open();
  await stores.roleAssignments.assign({
    userId: 'ann' as UserId,
    resource: { type: 'organization', id: 'o' },
    role: 'member',
  });
  const sources = recordSources(stores);
  const options = { userId: 'ann', definition: defineMany(count), ...sources, now: () => new Date(0) };
  const set = await computeAccessSet({ ...options, tenantId: { type: 'organization', id: 'o' } });
  expect(sources.calls.toSorted()).toEqual(four);
  expect(Object.keys(set.entitlements)).toHaveLength(count);
  expect(set.plans).toEqual({ group0: 'plan4' });
});

/** A tenant on SQLite, where one call can answer for all stores. */
async function openTogether(): Promise<{ readonly stores: Stores; readonly sources: RecordingSources }> {
  const stores = createSqliteStores({ path: ':memory:', clock: { now: () => new Date(0) } });
  onTestFinished(() => stores.close());
  await stores.migrate();
  return { stores, sources: recordSources(stores) };
}

const tenantId = { type: 'organization', id: 'o' };

it('the access set of a member takes one call where the stores can answer together', async () => {
  const { stores, sources } = await openTogether();
  await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: tenantId, role: 'member' });
  const options = { userId: 'ann', definition: defineMany(200), tenantId, now: () => new Date(0) };
  const set = await computeAccessSet({ ...options, ...sources });
  expect(sources.calls).toEqual(['readSnapshot']);
  const { roleStore, closureStore, flagStore, subscriptionStore, walletStore } = sources;
  const apart = { roleStore, closureStore, flagStore, subscriptionStore, walletStore };
  expect(set).toEqual(await computeAccessSet({ ...options, ...apart }));
});

it('a user without a role in the tenant costs one more call, which finds roles elsewhere', async () => {
  const { stores, sources } = await openTogether();
  const project = { type: 'project', id: 'p' };
  await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: project, role: 'manager' });
  const definition = defineAccess({
    entities: {
      organization: { roles: ['owner'], inherits: { 'project:manager': 'owner' } },
      project: { roles: ['manager'] },
    },
    entitlements: { 'organization:do': { roles: ['owner'] }, 'project:do': { roles: ['manager'] } },
  });
  const set = await computeAccessSet({ userId: 'ann', definition, tenantId, ...sources });
  expect(sources.calls).toEqual(['readSnapshot', 'findKinds']);
  expect(set.entitlements['organization:do']?.reason).toBe('hierarchy_denied');
});

it('a counter of a period before the latest use is read by itself', async () => {
  const { stores } = await openTogether();
  const definition = defineAccess({
    entities: { organization: { roles: ['owner'] } },
    entitlements: { 'organization:do': { roles: [] } },
    plans: {
      free: { group: 'base', features: [], limits: { month: { gates: 'organization:do', per: 'month', max: 2 } } },
    },
  });
  const now = () => new Date('2026-03-10T00:00:00.000Z');
  const use = async (periodStart: string, amount: number): Promise<unknown> => {
    const debits = [{ limit: 'month', periodStart: new Date(periodStart), amount, max: -1 }];
    return stores.wallets.consume({ tenantId: 'o', receiptId: periodStart, debits });
  };
  const compute = async (): Promise<unknown> => {
    const sources = recordSources(stores);
    const set = await computeAccessSet({ userId: 'ann', definition, tenantId, now, ...sources });
    return [set.entitlements['organization:do']?.meta?.limit?.consumed ?? 'allowed', ...sources.calls];
  };
  expect(await compute()).toEqual(['allowed', 'readSnapshot']);
  await use('2026-02-01T00:00:00.000Z', 5);
  expect(await compute()).toEqual(['allowed', 'readSnapshot']);
  await use('2026-03-01T00:00:00.000Z', 2);
  expect(await compute()).toEqual([2, 'readSnapshot']);
  await use('2026-03-05T00:00:00.000Z', 1);
  expect(await compute()).toEqual([2, 'readSnapshot', 'readCounters']);
});

it('the access set of an anonymous caller, and one without a tenant, take no needless calls', async () => {
  const sources = recordSources(open());
  const options = { definition: defineMany(20), ...sources };
  const ofAnonymous = await computeAccessSet({ ...options, userId: null, tenantId: 'o' });
  expect(sources.calls).toEqual([]);
  expect(new Set(Object.values(ofAnonymous.entitlements).map(({ reason }) => reason))).toEqual(
    new Set(['not_authenticated']),
  );
  const outside = await computeAccessSet({ ...options, userId: 'ann', tenantId: null });
  expect(sources.calls).toEqual(['readMany']);
  expect(outside.plans).toEqual({});
});

it('a tenant named by its id is of the one type that inherits from no other', async () => {
  const stores = open();
  const group = { type: 'group', id: 'g' };
  await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: group, role: 'owner' });
  const entities = { group: { roles: ['owner'], inherits: { 'group:owner': 'owner' } }, other: { roles: ['owner'] } };
  const entitlements = { 'group:do': { roles: ['owner'] } };
  const allowedIn = async (tenantId: string | Resource, known: typeof entities | Pick<typeof entities, 'group'>) => {
    const options = { userId: 'ann', definition: defineAccess({ entities: known, entitlements }), tenantId };
    const set = await computeAccessSet({ ...options, ...recordSources(stores) });
    return set.entitlements['group:do']?.allowed;
  };
  expect(await allowedIn('g', { group: entities.group })).toBe(true);
  expect(await allowedIn('g', entities)).toBe(false);
  expect(await allowedIn(group, entities)).toBe(true);
});

it('checking 100 records takes one call of each kind', async () => {
  const stores = open();
  const records = numbers(100).map((at): Resource => ({ type: 'project', id: String(at) }));
  const organization = { type: 'organization', id: 'o' };
  for (const record of records) await stores.hierarchy.attach({ child: record, parent: organization });
  for (const record of records.slice(0, 50)) {
    await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: record, role: 'manager' });
  }
  const definition = defineMany(60);
  const names = Object.keys(definition.entitlements).filter((name) => name.startsWith('project'));
  const openContext = (sources: ReturnType<typeof recordSources>) =>
    createAccessContext({
      ...{ userId: 'ann', definition, ...sources, now: () => new Date(0) },
      orgResolver: async (resource, { ancestors }) => resource && (await ancestors())[0],
    });
  const sources = recordSources(stores);
  const page = await computeEntityAccess(names, records, openContext(sources));
  expect(sources.calls.toSorted()).toEqual(['findKinds', ...four]);
  for (const at of [0, 49, 50, 99]) {
    const [record = expect.unreachable()] = records.slice(at);
    const context = openContext(recordSources(stores));
    const one = await computeEntityAccess(names, record, context);
    expect(Object.keys(one)).toEqual(names);
    for (const name of names) expect(one[name]).toEqual(await context.check(name, record));
    expect(page[at]).toEqual(one);
  }
});
