import type { GrantedRoles, TenantPlans, TenantSnapshot, TenantSnapshotQuery, TransactionStores } from '@x/store';
import { expect } from 'vitest';

/** When periods begin, the first of all first. */
export const knownPeriods: Readonly<Record<'first' | 'zero' | 'january' | 'february' | 'march' | 'last', Date>> = {
  first: new Date(-8.64e15),
  zero: new Date(0),
  january: new Date('2026-01-01T00:00:00.000Z'),
  february: new Date('2026-02-01T00:00:00.000Z'),
  march: new Date('2026-03-01T00:00:00.000Z'),
  last: new Date(8.64e15),
};

/** Uses one call if the store has it, otherwise those that it combines; sorts the lists. */
export async function readSnapshot(stores: TransactionStores, question: TenantSnapshotQuery): Promise<TenantSnapshot> {
  if (!stores.tenantSnapshots) return readSnapshotApart(stores, question);
  const { granted, plans, ...others } = await stores.tenantSnapshots.read(question);
  return { ...others, granted: toSorted(granted), plans: toSortedPlans(plans) };
}

/** Uses the calls that it combines; finds only the consumption in {@link knownPeriods}. */
export async function readSnapshotApart(
  stores: TransactionStores,
  question: TenantSnapshotQuery,
): Promise<TenantSnapshot> {
  const { userId, tenant, flags, limits } = question;
  const [granted = expect.unreachable()] = await stores.roleAssignments.readPaths(userId, [tenant]);
  return {
    granted: toSorted(granted),
    plans: toSortedPlans(await stores.subscriptions.read(tenant.id)),
    flags: await stores.flags.readMany(flags.map((name) => ({ tenantId: tenant.id, name }))),
    latestUsages: await Promise.all(limits.map((limit) => readLatest(stores, tenant.id, limit))),
  };
}

async function readLatest(
  { wallets }: TransactionStores,
  tenantId: string,
  limit: string,
): Promise<TenantSnapshot['latestUsages'][number]> {
  const starts = Object.values(knownPeriods).toReversed();
  const consumed = await wallets.readMany(starts.map((periodStart) => ({ tenantId, limit, periodStart })));
  const at = consumed.findIndex((each) => each > 0);
  const periodStart = starts[at];
  return periodStart ? { periodStart, consumed: consumed[at] ?? 0 } : null;
}

function toSorted({ resource, roles, rolesByGroup, parents }: GrantedRoles): GrantedRoles {
  return { resource, roles: roles.toSorted(), rolesByGroup, parents: parents.map(toSorted) };
}

function toSortedPlans({ tenantId, subscriptions, addOns, overrides }: TenantPlans): TenantPlans {
  const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);
  return {
    tenantId,
    subscriptions: subscriptions.toSorted((a, b) => (a.group < b.group ? -1 : 1)),
    addOns: addOns.toSorted(byName),
    overrides: overrides.toSorted(byName),
  };
}
