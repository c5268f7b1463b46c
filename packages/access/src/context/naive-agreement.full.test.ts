import type { Stores } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { decodeAccessSet, encodeAccessSet } from '../access-set/access-set.ts';
import { defineAccess } from '../definition/define-access.ts';
import { renameWorld, selectIds, storeWorld, type AccessWorld, usersOf } from '../testing/access-world.ts';
import { anyWorld, worldUsers } from '../testing/any-world.ts';
import { engines } from '../testing/engines.ts';
import { naiveReasons } from '../testing/naive-access.ts';
import { naivePlanNames, worldNow } from '../testing/naive-plans.ts';
import { type AccessContext, type AccessContextOptions, createAccessContext } from './access-context.ts';
import { computeAccessSet } from './compute-access-set.ts';

/** How many questions are asked of each engine at least. */
const least = process.env['DEEP']
  ? { memory: 100_000, sqlite: 5000, postgres: 5000 }
  : { memory: 2000, sqlite: 200, postgres: 200 };

/** How many questions a world is asked on average, and no fewer: the smallest has one entitlement. */
const perWorld = 2 * 9;

it.for(engines)('access on $name agrees with the naive reading of its design', { timeout: 600_000 }, async (engine) => {
  await using opened = await engine.open();
  const { stores } = opened;
  let [worlds, asked] = [0, 0];
  const agrees = fc.asyncProperty(anyWorld, async (drawn) => {
    worlds += 1;
    const world = renameWorld(drawn, worlds);
    await storeWorld(stores, world);
    for (const userId of usersOf(world)) {
      asked += await expectAgreement(stores, world, userId);
    }
    asked += await expectAgreement(stores, world, `${worldUsers[0]} of no world`);
  });
  await fc.assert(agrees, { numRuns: Math.ceil(least[engine.name] / perWorld) });
  expect(asked).toBeGreaterThanOrEqual(least[engine.name]);
});

it('access of an anonymous caller agrees with the naive reading of its design', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date(0) } });
  const agrees = fc.asyncProperty(anyWorld, async (world) => {
    const access = openContext(stores, world, null);
    for (const entitlement of Object.keys(world.model.entitlements)) {
      for (const resource of world.resources) {
        expect(await access.can(entitlement, resource)).toBe(false);
        expect((await access.check(entitlement, resource)).reasons).toEqual(
          naiveReasons(world, { userId: null, entitlement, resource }),
        );
      }
    }
  });
  await fc.assert(agrees, { numRuns: 10 });
});

function openContext(stores: Stores, world: AccessWorld, userId: string | null): AccessContext {
  return createAccessContext({ ...toSources(stores, world, userId), orgResolver: () => world.tenantId });
}

function toSources(
  { roleAssignments, hierarchy, flags, subscriptions, wallets }: Stores,
  world: AccessWorld,
  userId: string | null,
): Omit<AccessContextOptions, 'orgResolver'> {
  return {
    userId,
    definition: defineAccess(world.model),
    roleStore: roleAssignments,
    closureStore: hierarchy,
    flagStore: flags,
    subscriptionStore: subscriptions,
    walletStore: wallets,
    now: () => worldNow,
  };
}

/**
 * Asks all questions about one user, in a new context each time and in one that has read before; returns their number.
 */
async function expectAgreement(stores: Stores, world: AccessWorld, userId: string): Promise<number> {
  const kept = openContext(stores, world, userId);
  const entitlements = Object.keys(world.model.entitlements);
  const checks = entitlements.flatMap((entitlement) => world.resources.map((resource) => ({ entitlement, resource })));
  const decisions = await openContext(stores, world, userId).canAll(checks);
  for (const { entitlement, resource } of checks) {
    const reasons = naiveReasons(world, { userId, entitlement, resource });
    const isAllowed = reasons.length === 0;
    const asked = JSON.stringify([userId, entitlement, resource]);
    expect(await openContext(stores, world, userId).can(entitlement, resource), asked).toBe(isAllowed);
    expect(await kept.can(entitlement, resource), asked).toBe(isAllowed);
    expect(decisions.can(entitlement, resource), asked).toBe(isAllowed);
    expect((await kept.check(entitlement, resource)).reasons, asked).toEqual(reasons);
  }
  expect(await openContext(stores, world, userId).checkAll(checks)).toEqual(
    await Promise.all(checks.map(async ({ entitlement, resource }) => kept.check(entitlement, resource))),
  );
  const together = world.resources.map((resource) => ({ entitlements, resource }));
  expect(await openContext(stores, world, userId).records.checkEach(together)).toEqual(
    await Promise.all(
      world.resources.map((resource) =>
        Promise.all(entitlements.map((entitlement) => kept.check(entitlement, resource))),
      ),
    ),
  );
  await expectSetAgreement(stores, world, userId);
  for (const entitlement of entitlements) {
    for (const type of Object.keys(world.model.entities)) {
      const ids = world.resources.filter((resource) => resource.type === type).map(({ id }) => id);
      const allowed = ids.filter(
        (id) => naiveReasons(world, { userId, entitlement, resource: { type, id } }).length === 0,
      );
      expect(await selectIds(stores, await kept.filter(entitlement, { type }), ids)).toEqual(allowed);
    }
  }
  return checks.length;
}

/** Computes the access set of one user, sends it to a browser, and compares both with single checks. */
async function expectSetAgreement(stores: Stores, world: AccessWorld, userId: string): Promise<void> {
  const tenant = world.resources.find(({ id }) => id === world.tenantId) ?? expect.unreachable();
  const names = Object.keys(world.model.entitlements);
  const set = await computeAccessSet({ ...toSources(stores, world, userId), tenantId: tenant });
  if (stores.tenantSnapshots) {
    const { tenantSnapshots: tenantSnapshotStore } = stores;
    const together = { ...toSources(stores, world, userId), tenantSnapshotStore, tenantId: tenant };
    expect(await computeAccessSet(together)).toEqual(set);
  }
  const received: unknown = JSON.parse(JSON.stringify(encodeAccessSet(set)));
  const decoded = decodeAccessSet(received, names);
  const direct = openContext(stores, world, userId);
  expect(Object.keys(set.entitlements)).toEqual(names);
  for (const entitlement of names) {
    const asked = JSON.stringify([userId, entitlement, tenant]);
    const check = await direct.check(entitlement, tenant);
    const naive = naiveReasons(world, { userId, entitlement, resource: tenant });
    const got = decoded.entitlements[entitlement];
    expect(check.reasons, asked).toEqual(naive);
    expect(set.entitlements[entitlement], asked).toEqual(check);
    expect(got?.allowed, asked).toBe(check.allowed);
    if (check.allowed || check.meta) expect(got, asked).toEqual(check);
  }
  expect(decoded.plans).toEqual(set.plans);
  expect(set.plans).toEqual(naivePlanNames(world));
}
