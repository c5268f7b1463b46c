import {
  type AttachedAddOn,
  compareCodePoints,
  type LimitOverride,
  type SubscriptionRecord,
  type SubscriptionStore,
  type TenantPlans,
} from '@x/store';
import { assertAmount, assertMoment, checkOverrides, logged, recordedIf } from '@x/store/engine';
import type { StepExecutor } from '../database/executor.ts';
import { Table } from '../database/table.ts';
import { copyDate, copyRow } from '../database/values.ts';
import { type EventTable, record } from '../events.ts';

/** Creates the subscription store. */
export function createSubscriptionStore(executor: StepExecutor<TenantTables>): SubscriptionStore {
  return {
    assign: async ({ tenantId, group, planName, startedAt, expiresAt = null }, cause) => {
      if (startedAt) assertMoment(startedAt);
      if (expiresAt) assertMoment(expiresAt);
      // Copied first: the caller may change it while the step waits.
      const [start, end] = [startedAt && copyDate(startedAt), copyDate(expiresAt)];
      return record(executor, cause, ({ subscriptions }, now) => {
        const item = { group, planName, startedAt: start ?? copyDate(now), expiresAt: end };
        subscriptions.put({ tenantId, name: group, item });
        return { outcome: copyRow(item), recorded: [logged.plan(tenantId, item)] };
      });
    },
    updateOverrides: async (tenantId, overrides, cause) => {
      const checked = checkOverrides(overrides);
      return record(executor, cause, ({ overrides: table }) => {
        for (const override of checked) raise(table, tenantId, override);
        return { outcome: undefined, recorded: checked.length === 0 ? [] : [logged.overrides(tenantId, checked)] };
      });
    },
    attach: async ({ tenantId, addOn, quantity = 1 }, cause) => {
      assertAmount(quantity);
      return record(executor, cause, ({ addOns }) => {
        addOns.put({ tenantId, name: addOn, item: { name: addOn, quantity } });
        return { outcome: undefined, recorded: [logged.ofTenant('add_on.attached', tenantId, { addOn, quantity })] };
      });
    },
    detach: async ({ tenantId, addOn }, cause) =>
      record(executor, cause, ({ addOns }) => {
        const key = toTenantKey(tenantId, addOn);
        const isAttached = addOns.get(key) !== undefined;
        addOns.delete(key);
        return recordedIf(isAttached, logged.ofTenant('add_on.detached', tenantId, { addOn }));
      }),
    remove: async (tenantId, cause) =>
      record(executor, cause, ({ subscriptions, addOns, overrides }) => {
        const removed =
          removeAll(subscriptions, tenantId) + removeAll(addOns, tenantId) + removeAll(overrides, tenantId);
        return { outcome: undefined, recorded: removed === 0 ? [] : [logged.ofTenant('plan.removed', tenantId)] };
      }),
    read: async (tenantId) => executor.read((tables) => toTenantPlans(tables, tenantId)),
    readMany: async (tenantIds) => {
      const asked = [...tenantIds];
      return executor.read((tables) => asked.map((tenantId) => toTenantPlans(tables, tenantId)));
    },
  };
}

interface TenantTables {
  readonly subscriptions: SubscriptionTable;
  readonly addOns: AddOnTable;
  readonly overrides: OverrideTable;
  readonly events: EventTable;
}

function raise(overrides: OverrideTable, tenantId: string, { name, max }: LimitOverride): void {
  const before = overrides.get(toTenantKey(tenantId, name))?.item.max ?? 0;
  const greater = before === -1 || max === -1 ? -1 : Math.max(before, max);
  overrides.put({ tenantId, name, item: { name, max: greater } });
}

/** @returns how many there were */
function removeAll<Item>(table: TenantTable<Item>, tenantId: string): number {
  const names = Array.from(table.select('byTenant', tenantId), ({ name }) => name);
  for (const name of names) table.delete(toTenantKey(tenantId, name));
  return names.length;
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
