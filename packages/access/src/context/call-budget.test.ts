import type { Resource, RequiredRoles, UserId } from '@x/store';
import { none } from '@x/store/where';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { defineAccess } from '../definition/define-access.ts';
import { recordSources, type RecordingSources } from '../testing/recording-stores.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';

const definition = defineAccess({
  entities: {
    organization: { roles: ['owner'] },
    project: { roles: ['manager', 'viewer'], inherits: { 'organization:owner': 'manager' } },
  },
  entitlements: {
    'project:read': { roles: ['manager', 'viewer'] },
    'project:update': { roles: ['manager'] },
    'project:beta': { roles: ['manager'], flags: ['beta'] },
    'project:off': { roles: ['manager'], flags: ['off', 'beta'] },
    'project:any': { roles: [] },
  },
});

const project = (id: number) => ({ type: 'project', id: String(id) }) as const;

/** 100 projects of one organization, of which the user owns nothing but manages the first ten. */
async function open(): Promise<{ access: AccessContext; sources: RecordingSources }> {
  const stores = createMemoryStores({ clock: { now: () => new Date(0) } });
  for (let id = 0; id < 100; id += 1)
    await stores.hierarchy.attach({ child: project(id), parent: { type: 'organization', id: 'o' } });
  for (let id = 0; id < 10; id += 1) {
    await stores.roleAssignments.assign({ userId: 'ann' as UserId, resource: project(id), role: 'manager' });
  }
  await stores.flags.set({ tenantId: null, name: 'beta' }, true);
  await stores.flags.set({ tenantId: 'o', name: 'off' }, false);
  const sources = recordSources(stores);
  return {
    access: createAccessContext({ userId: 'ann', definition, ...sources, orgResolver: () => 'o' }),
    sources,
  };
}

it('`can` makes one call for each layer, in their order, and none after a denial', async () => {
  const { access, sources } = await open();
  expect(await access.can('project:beta', project(1))).toBe(true);
  expect(sources.calls).toEqual(['readMany', 'readPaths']);
  const second = await open();
  expect(await second.access.can('project:off', project(1))).toBe(false);
  expect(second.sources.calls).toEqual(['readMany']);
  const third = await open();
  expect(await third.access.can('project:update', project(50))).toBe(false);
  expect(third.sources.calls).toEqual(['readPaths']);
});

it('`can` makes no call for state that has been read, or for a check that nothing can allow', async () => {
  const { access, sources } = await open();
  expect(await access.can('project:any', project(50))).toBe(true);
  expect(await access.can('project:raed', project(1))).toBe(false);
  expect(await access.can('project:read', { type: 'constructor', id: '1' })).toBe(false);
  expect(await access.can('project:read')).toBe(false);
  expect(sources.calls).toEqual([]);
  for (const entitlement of ['project:read', 'project:update', 'project:read']) {
    expect(await access.can(entitlement, project(1))).toBe(true);
  }
  await Promise.all([access.can('project:read', project(2)), access.can('project:update', project(2))]);
  expect(sources.calls).toEqual(['readPaths', 'readPaths']);
});

it('`can` calls a synchronous store once for each question, and reuses its earlier reads', async () => {
  const { sources } = await open();
  const calls: string[] = [];
  const roleStore = {
    ...sources.roleStore,
    hasRoleNow: (_user: UserId, { id }: Resource, { roles }: RequiredRoles): boolean => {
      calls.push(`${[...roles].join()} ${id}`);
      return calls.length === 1;
    },
  };
  const access = createAccessContext({ userId: 'ann', definition, ...sources, roleStore, orgResolver: () => 'o' });
  for (const round of [1, 2]) {
    expect([round, await access.can('project:update', project(1))]).toEqual([round, true]);
    expect([round, await access.can('project:update', project(50))]).toEqual([round, false]);
  }
  expect(await access.can('project:off', project(1))).toBe(false);
  expect(calls).toEqual(['manager 1', 'manager 50']);
  await access.check('project:read', project(2));
  expect(await access.can('project:update', project(2))).toBe(true);
  expect(calls).toEqual(['manager 1', 'manager 50', 'manager,viewer 2']);
  expect(sources.calls).toEqual(['readMany', 'readPaths']);
});

it('`hasRoleOnEach` makes one call for any number of resources, and agrees with `hasRole`', async () => {
  const { access, sources } = await open();
  const resources = [...Array.from({ length: 100 }, (_, id) => project(id)), { type: 'constructor', id: '1' } as const];
  const each = await access.records.hasRoleOnEach(['manager', 'viewer'], resources);
  expect(sources.calls).toEqual(['readPaths']);
  expect(each).toEqual(resources.map((_, at) => at < 10));
  expect(await Promise.all(resources.map((each) => access.records.hasRole(['viewer'], each)))).toEqual(
    resources.map(() => false),
  );
  const anonymous = createAccessContext({ userId: null, definition, ...sources, orgResolver: () => 'o' });
  expect(await anonymous.records.hasRoleOnEach(['manager'], [project(1)])).toEqual([false]);
  expect(sources.calls).toEqual(['readPaths']);
});

it('`check` makes two waves of calls that are issued together', async () => {
  const { access, sources } = await open();
  expect((await access.check('project:off', project(50))).reasons).toEqual(['flag_disabled', 'hierarchy_denied']);
  expect(sources.calls.toSorted()).toEqual(['findKinds', 'readMany', 'readPaths']);
  expect(sources.waves()).toBe(2);
});

it('`canAll` of 100 makes at most 4 calls, for every order of the checks', async () => {
  const { access, sources } = await open();
  const names = ['project:update', 'project:beta', 'project:off', 'project:any'];
  const checks = Array.from({ length: 100 }, (_, at) => ({
    entitlement: names[at % 4] ?? '',
    resource: project(at % 25),
  }));
  const decisions = await access.canAll(checks);
  expect(sources.calls.length).toBeLessThanOrEqual(4);
  const reversed = await (await open()).access.canAll(checks.toReversed());
  for (const check of checks) {
    const one = await (await open()).access.can(check.entitlement, check.resource);
    expect([decisions, reversed].map((each) => each.can(check.entitlement, check.resource))).toEqual([one, one]);
  }
});

it('the resolver learns the ancestors of a resource from the call that reads the roles', async () => {
  const { sources } = await open();
  const ancestors: Resource[] = [];
  const access = createAccessContext({
    userId: 'ann',
    definition,
    ...sources,
    orgResolver: async (resource, lookup) => {
      ancestors.push(...(await lookup.ancestors()));
      return resource ? 'o' : null;
    },
  });
  const checks = [1, 2, 3].map((id) => ({ entitlement: 'project:off', resource: project(id) }) as const);
  await access.canAll([...checks, { entitlement: 'project:off' }]);
  expect(ancestors).toEqual([1, 2, 3].map(() => ({ type: 'organization', id: 'o' })));
  expect(sources.calls.toSorted()).toEqual(['readMany', 'readPaths']);
});

it('`canAll` of 101 is refused before any call', async () => {
  const { access, sources } = await open();
  const checks = Array.from({ length: 101 }, (_, at) => ({ entitlement: 'project:read', resource: project(at) }));
  await expect(access.canAll(checks)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(sources.calls).toEqual([]);
  expect((await access.canAll([])).can('project:read', project(0))).toBe(false);
});

it('`filter` makes calls only for layers that depend on the tenant, and then for all tenants at once', async () => {
  const { access, sources } = await open();
  await access.filter('project:read', { type: 'project' });
  expect(sources.calls).toEqual([]);
  expect(await access.filter('project:off', { type: 'project' })).toEqual(none);
  expect(sources.calls).toEqual(['listAssigned', 'readMany']);
});

it('an entitlement that every plan includes reads the tenant, but not its plan', async () => {
  const planned = defineAccess({
    entities: { project: { roles: ['manager'] } },
    entitlements: { 'project:read': { roles: ['manager'] }, 'project:export': { roles: ['manager'] } },
    plans: {
      free: { group: 'base', features: ['project:read'] },
      pro: { group: 'base', features: ['project:read', 'project:export'] },
    },
  });
  const { sources } = await open();
  const openIn = (tenant: string | null) =>
    createAccessContext({ userId: 'ann', definition: planned, ...sources, orgResolver: () => tenant });
  const read = { entitlements: ['project:read'], resource: project(1) } as const;
  expect(await openIn('o').can('project:read', project(1))).toBe(true);
  expect((await openIn('o').records.checkEach([read]))[0]?.[0]).toMatchObject({ allowed: true });
  expect(await openIn(null).can('project:read', project(1))).toBe(false);
  expect((await openIn(null).records.checkEach([read]))[0]?.[0]).toMatchObject({ reason: 'plan_required' });
  expect(sources.calls).toEqual(['readPaths', 'readPaths', 'readPaths', 'readPaths']);
  expect(await openIn('o').can('project:export', project(1))).toBe(false);
  expect(sources.calls.slice(4)).toEqual(['readPaths', 'readPlans']);
});
