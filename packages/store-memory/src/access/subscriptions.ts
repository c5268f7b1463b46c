import {
  type AttachedAddOn,
  compareCodePoints,
  type LimitOverride,
  type SubscriptionRecord,
  type SubscriptionStore,
  type TenantPlans,
} from '@x/store';
import { assertAmount, assertMoment, checkOverrides } from '@x/store/engine';
import type { Scope } from '../database/scope.ts';
import { Table } from '../database/table.ts';
import { copyDate, copyRow } from '../database/values.ts';

/** Creates the subscription store of a scope. */
export function createSubscriptionStore(scope: Scope<TenantTables>): SubscriptionStore {
  return {
    assign: async (tenantId, planName, group, startedAt, expiresAt = null) => {
      if (startedAt) assertMoment(startedAt);
      if (expiresAt) assertMoment(expiresAt);
      // Copied first: the caller may change it while the step waits.
      const [start, end] = [startedAt && copyDate(startedAt), copyDate(expiresAt)];
      return scope.write(({ subscriptions }, now) => {
        const item = { group, planName, startedAt: start ?? copyDate(now), expiresAt: end };
        subscriptions.put({ tenantId, name: group, item });
        return copyRow(item);
      });
    },
    updateOverrides: async (tenantId, overrides) => {
      const checked = checkOverrides(overrides);
      return scope.write(({ overrides: table }) => {
        for (const override of checked) raise(table, tenantId, override);
      });
    },
    attach: async (tenantId, addOn, quantity = 1) => {
      assertAmount(quantity);
      return scope.write(({ addOns }) => addOns.put({ tenantId, name: addOn, item: { name: addOn, quantity } }));
    },
    detach: async (tenantId, addOn) =>
      scope.write(({ addOns }) => {
        const key = toTenantKey(tenantId, addOn);
        const isAttached = addOns.get(key) !== undefined;
        addOns.delete(key);
        return isAttached;
      }),
    remove: async (tenantId) =>
      scope.write(({ subscriptions, addOns, overrides }) => {
        removeAll(subscriptions, tenantId);
        removeAll(addOns, tenantId);
        removeAll(overrides, tenantId);
      }),
    read: async (tenantId) => scope.read((tables) => toTenantPlans(tables, tenantId)),
    readMany: async (tenantIds) => {
      const asked = [...tenantIds];
      return scope.read((tables) => asked.map((tenantId) => toTenantPlans(tables, tenantId)));
    },
  };
}

interface TenantTables {
  readonly subscriptions: SubscriptionTable;
  readonly addOns: AddOnTable;
  readonly overrides: OverrideTable;
}

function raise(overrides: OverrideTable, tenantId: string, { name, max }: LimitOverride): void {
  const before = overrides.get(toTenantKey(tenantId, name))?.item.max ?? 0;
  const greater = before === -1 || max === -1 ? -1 : Math.max(before, max);
  overrides.put({ tenantId, name, item: { name, max: greater } });
}

function removeAll<Item>(table: TenantTable<Item>, tenantId: string): void {
  for (const { name } of [...table.select('byTenant', tenantId)]) table.delete(toTenantKey(tenantId, name));
}

function toTenantPlans({ subscriptions, addOns, overrides }: TenantTables, tenantId: string): TenantPlans {
  return {
    tenantId,
    subscriptions: Array.from(subscriptions.select('byTenant', tenantId), ({ item }) => copyRow(item)),
    addOns: Array.from(addOns.select('byTenant', tenantId), ({ item }) => ({ ...item })),
    overrides: Array.from(overrides.select('byTenant', tenantId), ({ item }) => ({ ...item })),
  };
}

/** Something of one kind that a tenant has, identified by a name. */
interface TenantRow<Item> {
  readonly tenantId: string;
  readonly name: string;
  readonly item: Item;
}

/** Things of one kind that tenants have, indexed by tenant and name, and ordered by tenant. */
type TenantTable<Item> = Table<TenantRow<Item>, never, 'byTenant'>;

/** The plans of tenants, by group. */
export type SubscriptionTable = TenantTable<SubscriptionRecord>;

/** The add-ons of tenants. */
export type AddOnTable = TenantTable<AttachedAddOn>;

/** The overrides of tenants. */
export type OverrideTable = TenantTable<LimitOverride>;

/** Creates an empty table of things that tenants have. */
export function createTenantTable<Item>(): TenantTable<Item> {
  return new Table<TenantRow<Item>, never, 'byTenant'>({
    keyOf: ({ tenantId, name }) => toTenantKey(tenantId, name),
    unique: {},
    ordered: {
      byTenant: { groupOf: ({ tenantId }) => tenantId, compare: (a, b) => compareCodePoints(a.name, b.name) },
    },
  });
}

/** Returns the key of something a tenant has. No text contains U+0000, so it can separate the two. */
function toTenantKey(tenantId: string, name: string): string {
  return `${tenantId}\0${name}`;
}
