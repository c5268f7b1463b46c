import { CodedError } from '@x/errors';
import type { Page, Resource, Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { roleMapOf } from '../definition/compile-access.ts';
import { defineAccess } from '../definition/define-access.ts';
import { renameWorld, storeWorld, type AccessWorld, usersOf } from '../testing/access-world.ts';
import { anyWorld } from '../testing/any-world.ts';
import { engines } from '../testing/engines.ts';
import { holdersOf, naiveReasons } from '../testing/naive-access.ts';
import { worldNow } from '../testing/naive-plans.ts';
import { recordSources } from '../testing/recording-stores.ts';
import { type AccessContext, createAccessContext } from './access-context.ts';
import type { AccessPageOptions } from './lookup.ts';
import type { RolePath } from './role-paths.ts';
import { rules } from '../rule/rules.ts';

/** How many lists are walked on each engine at least. */
const least = process.env['DEEP']
  ? { memory: 100_000, sqlite: 5000, postgres: 5000 }
  : { memory: 500, sqlite: 75, postgres: 50 };

it.for(engines)(
  'lookups on $name find exactly the resources that the naive reading allows',
  { timeout: 600_000 },
  async (engine) => {
    await using opened = await engine.open();
    const { stores } = opened;
    let [worlds, walked] = [0, 0];
    const agrees = fc.asyncProperty(anyWorld, fc.constantFrom(1, 2, 3, 100), async (drawn, limit) => {
      worlds += 1;
      const world = renameWorld(drawn, worlds);
      await storeWorld(stores, world);
      walked += await expectLookups(stores, world, limit);
    });
    // The smallest world has one entitlement, and the questions of four types and nine resources about it.
    await fc.assert(agrees, { numRuns: Math.ceil(least[engine.name] / 13) });
    expect(walked).toBeGreaterThanOrEqual(least[engine.name]);
  },
);

/** Walks both lists for all entitlements of a world; says how many lists that are. */
async function expectLookups(stores: Stores, world: AccessWorld, limit: number): Promise<number> {
  const access = openContext(stores, world);
  const users = [...usersOf(world), 'nobody'];
  let walked = 0;
  for (const [entitlement, { roles }] of Object.entries(world.model.entitlements)) {
    const isAllowed = (userId: string, resource: Resource): boolean =>
      naiveReasons(world, { userId, entitlement, resource }).length === 0;
    // All users have an entitlement without roles, everywhere.
    const refusal = roles.length === 0 ? 'VALIDATION_FAILED' : undefined;
    for (const userId of users) {
      for (const type of Object.keys(world.model.entities)) {
        walked += 1;
        const found = await walk((page) => access.lookup(userId, entitlement, { ...page, type }), limit);
        const expected = world.resources.filter((each) => each.type === type && isAllowed(userId, each));
        const sorted = expected.toSorted((a, b) => (a.id < b.id ? -1 : 1));
        expect(found.code ?? found.items.map(({ resource }) => resource)).toEqual(refusal ?? sorted);
        for (const { resource, way } of found.items) expectWay(world, { userId, entitlement, resource }, way);
      }
    }
    for (const resource of world.resources) {
      walked += 1;
      const found = await walk((page) => access.who(entitlement, resource, page), limit);
      const expected = users.filter((userId) => isAllowed(userId, resource)).toSorted();
      expect(found.code ?? found.items.map(({ userId }) => userId)).toEqual(refusal ?? expected);
      for (const { userId, way } of found.items) expectWay(world, { userId, entitlement, resource }, way);
    }
  }
  return walked;
}

/**
 * A way begins at an assignment of the user or one of their groups, follows edges and rules, and ends at the resource
 * with a sufficient role.
 */
function expectWay(
  world: AccessWorld,
  asked: { readonly userId: string; readonly entitlement: string; readonly resource: Resource },
  way: RolePath,
): void {
  const [{ groupId, ...first }] = way;
  const user = `user:${asked.userId}`;
  const holder = groupId === undefined ? user : `group:${groupId}`;
  expect(world.assignments).toContainEqual({ holder, ...first });
  expect(holdersOf(world, user)).toContain(holder);
  for (const [at, { resource, role, ...none }] of way.slice(1).entries()) {
    expect(none).toEqual({});
    const above = way[at] ?? expect.unreachable();
    expect(world.edges).toContainEqual({ child: resource, parent: above.resource });
    const inherits = roleMapOf(world.model.entities, resource.type);
    expect(inherits[`${above.resource.type}:${above.role}`]).toBe(role);
  }
  const last = way.at(-1) ?? first;
  expect(last.resource).toEqual(asked.resource);
  const alone: AccessWorld = {
    ...world,
    edges: [],
    assignments: [{ holder: user, resource: last.resource, role: last.role }],
  };
  expect(naiveReasons(alone, asked)).toEqual([]);
}

/** All items of a list, or the code with which it is refused. */
interface Walked<Item> {
  readonly items: readonly Item[];
  readonly code?: string;
}

async function walk<Item>(
  read: (page: AccessPageOptions) => Promise<Page<Item>>,
  limit: number,
): Promise<Walked<Item>> {
  const items: Item[] = [];
  for (let after: string | null = null; ;) {
    const page: Page<Item> | string = await read({ limit, after }).catch(codeOf);
    if (typeof page === 'string') return { items, code: page };
    expect(page.items.length).toBeLessThanOrEqual(limit);
    items.push(...page.items);
    if (page.nextCursor === null) return { items };
    after = page.nextCursor;
  }
}

function codeOf(error: unknown): string {
  if (error instanceof CodedError) return error.code;
  throw error;
}

function openContext(
  { roleAssignments, hierarchy, flags, subscriptions, wallets }: Stores,
  world: AccessWorld,
): AccessContext {
  return createAccessContext({
    userId: 'asker',
    definition: defineAccess(world.model),
    roleStore: roleAssignments,
    closureStore: hierarchy,
    flagStore: flags,
    subscriptionStore: subscriptions,
    walletStore: wallets,
    orgResolver: () => world.tenantId,
    now: () => worldNow,
  });
}

const definition = defineAccess({
  entities: {
    team: { roles: ['lead', 'member'] },
    file: { roles: ['editor'], inherits: { 'team:lead': 'editor' } },
  },
  entitlements: {
    'file:edit': { roles: ['editor'] },
    'file:share': { roles: ['editor'], plans: ['pro'] },
    'file:see': { roles: [] },
    'file:own': { roles: ['editor'], rules: rules.where({ ownerId: rules.user.id }) },
  },
  plans: {
    free: { group: 'base', features: [] },
    pro: { group: 'base', features: [], limits: { shares: { gates: 'file:share', per: 'day', max: 5 } } },
  },
});

const [red, blue] = [{ type: 'team', id: 'red' } as const, { type: 'team', id: 'blue' } as const];

const file = (id: string) => ({ type: 'file', id }) as const;

/** Ann leads both teams, of which only the blue one has the plan; Ben edits one file of each. */
async function openTeams() {
  const stores = createMemoryStores();
  for (const [id, team] of [
    ['1', red],
    ['2', blue],
    ['3', red],
    ['4', blue],
  ] as const) {
    await stores.hierarchy.attach({ child: file(id), parent: team });
  }
  const assign = (userId: string, resource: Resource, role: string): Promise<boolean> =>
    stores.roleAssignments.assign({ userId: userId as UserId, resource, role });
  await assign('ann', red, 'lead');
  await assign('ann', blue, 'lead');
  await assign('cid', red, 'member');
  await assign('ben', file('3'), 'editor');
  await assign('ben', file('4'), 'editor');
  await stores.subscriptions.assign({ tenantId: 'blue', planName: 'pro', group: 'base' });
  const sources = recordSources(stores);
  const open = (userId: string | null) =>
    createAccessContext({
      userId,
      definition,
      ...sources,
      orgResolver: async (_, { ancestors }) => (await ancestors())[0],
    });
  return { stores, sources, access: open('ann'), open };
}

it('says how each is reached', async () => {
  const { access } = await openTeams();
  expect(await access.lookup('ann', 'file:edit', { type: 'file', limit: 1 })).toEqual({
    items: [
      {
        resource: file('1'),
        way: [
          { resource: red, role: 'lead' },
          { resource: file('1'), role: 'editor' },
        ],
      },
    ],
    nextCursor: '1',
  });
  expect(await access.who('file:edit', file('3'))).toEqual({
    items: [
      {
        userId: 'ann',
        way: [
          { resource: red, role: 'lead' },
          { resource: file('3'), role: 'editor' },
        ],
      },
      { userId: 'ben', way: [{ resource: file('3'), role: 'editor' }] },
    ],
    nextCursor: null,
  });
});

it('leaves out resources that the plan of their tenant denies, and goes on after them', async () => {
  const { access } = await openTeams();
  const first = await access.lookup('ann', 'file:share', { type: 'file', limit: 1 });
  expect(first).toEqual({ items: [], nextCursor: '1' });
  const { items: all } = await walk((page) => access.lookup('ann', 'file:share', { ...page, type: 'file' }), 1);
  expect(all.map(({ resource }) => resource.id)).toEqual(['2', '4']);
  expect((await access.who('file:share', file('3'))).items).toEqual([]);
  expect((await access.who('file:share', file('4'))).items.map(({ userId }) => userId)).toEqual(['ann', 'ben']);
});

it('makes the same calls however many there are', async () => {
  const { stores, sources, access } = await openTeams();
  const callsOf = async (ask: () => Promise<unknown>): Promise<readonly string[]> => {
    const before = sources.calls.length;
    await ask();
    return sources.calls.slice(before).toSorted();
  };
  for (const more of [0, 90]) {
    for (let at = 0; at < more; at += 1) {
      await stores.hierarchy.attach({ child: file(`5${at}`), parent: at % 2 === 0 ? red : blue });
      await stores.roleAssignments.assign({ userId: `dan${at}` as UserId, resource: file('4'), role: 'editor' });
    }
    const page = { type: 'file', limit: 100 } as const;
    expect(await callsOf(() => access.lookup('ann', 'file:edit', page))).toEqual(['listGranted', 'readPaths']);
    expect(await callsOf(() => access.lookup('ann', 'file:share', page))).toEqual([
      'listGranted',
      'readCounters',
      'readPaths',
      'readPlans',
    ]);
    expect(await callsOf(() => access.who('file:edit', file('4'), { limit: 100 }))).toEqual(['listGrantees']);
    expect(await callsOf(() => access.who('file:share', file('4'), { limit: 100 }))).toEqual([
      'listGrantees',
      'readCounters',
      'readPlans',
    ]);
  }
});

it('finds nothing for names that are not defined, and for anonymous callers', async () => {
  const { access, open, sources } = await openTeams();
  const nothing = { items: [], nextCursor: null };
  const loose: AccessContext = access;
  expect(await loose.lookup('ann', 'file:none', { type: 'file' })).toEqual(nothing);
  expect(await loose.lookup('ann', 'file:edit', { type: '__proto__' })).toEqual(nothing);
  expect(await loose.lookup('\0', 'file:edit', { type: 'file' })).toEqual(nothing);
  expect(await loose.who('file:none', file('1'))).toEqual(nothing);
  expect(await loose.who('file:edit', { type: 'none', id: '1' })).toEqual(nothing);
  expect(await loose.who('file:edit', file('\0'))).toEqual(nothing);
  expect(sources.calls).toEqual([]);
  expect((await open(null).who('file:edit', file('3'))).items).toHaveLength(2);
});

it('refuses entitlements whose resources it could not list completely', async () => {
  const { access, sources } = await openTeams();
  for (const entitlement of ['file:see', 'file:own'] as const) {
    const code = 'VALIDATION_FAILED';
    await expect(access.lookup('ann', entitlement, { type: 'file' })).rejects.toMatchObject({ code });
    await expect(access.who(entitlement, file('1'))).rejects.toMatchObject({ code });
  }
  for (const page of [{ limit: 0 }, { limit: 101 }, { limit: 1.5 }, { limit: Number.NaN }, { after: 'a\0' }]) {
    const code = 'INVALID_QUERY';
    await expect(access.lookup('ann', 'file:edit', { type: 'file', ...page })).rejects.toMatchObject({ code });
    await expect(access.who('file:edit', file('1'), page)).rejects.toMatchObject({ code });
  }
  expect(sources.calls).toEqual([]);
});

it('rejects if a store fails, instead of returning a list that is not complete', async () => {
  const { stores, sources } = await openTeams();
  const failing = async (): Promise<never> => {
    throw new Error('unavailable');
  };
  for (const method of ['listGranted', 'readPaths'] as const) {
    const roleStore = { ...sources.roleStore, [method]: failing };
    const access = createAccessContext({ userId: 'ann', definition, ...sources, roleStore, orgResolver: () => 'red' });
    await expect(access.lookup('ann', 'file:edit', { type: 'file' })).rejects.toThrow('unavailable');
  }
  const roleStore = { ...stores.roleAssignments, listGrantees: failing };
  const access = createAccessContext({ userId: 'ann', definition, ...sources, roleStore, orgResolver: () => 'red' });
  await expect(access.who('file:edit', file('1'))).rejects.toThrow('unavailable');
});

it('leaves out users whose role is no longer granted when its path is read', async () => {
  const { stores, sources } = await openTeams();
  const roleStore: typeof sources.roleStore = {
    ...sources.roleStore,
    listGranted: async (...asked) => {
      const page = await stores.roleAssignments.listGranted(...asked);
      await stores.roleAssignments.revoke({ userId: 'ann' as UserId, resource: blue, role: 'lead' });
      return page;
    },
  };
  const access = createAccessContext({ userId: 'ann', definition, ...sources, roleStore, orgResolver: () => 'red' });
  const { items } = await access.lookup('ann', 'file:edit', { type: 'file' });
  expect(items.map(({ resource }) => resource.id)).toEqual(['1', '3']);
});
