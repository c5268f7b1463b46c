import { compareCodePoints, type AttachedAddOn, type LimitOverride, type SubscriptionRecord } from '@x/store';
import { Table } from './table.ts';

/** Something of one kind that a tenant has, identified by a name. */
interface TenantRow<Item> {
  readonly tenantId: string;
  readonly name: string;
  readonly item: Item;
}

/** Things of one kind that tenants have, indexed by tenant and name, and ordered by tenant. */
export type TenantTable<Item> = Table<TenantRow<Item>, never, 'byTenant'>;

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
export function toTenantKey(tenantId: string, name: string): string {
  return `${tenantId}\0${name}`;
}
