import type {
  AttachedAddOn,
  EntityTable,
  LimitOverride,
  Resource,
  RoleHolder,
  Stores,
  SubscriptionRecord,
  TransactionStores,
  UserId,
} from '@x/store';
import { all, type Where } from '@x/store/where';

import type { AccessModel } from '../definition/access-model.ts';

/** A model and all data stored for it, as plain data. */
export interface AccessWorld {
  readonly model: AccessModel;
  readonly resources: readonly Resource[];
  readonly edges: readonly { readonly child: Resource; readonly parent: Resource }[];
  /** The members of groups: each holder is a user or a group, as in `user:ann` or `group:eng`. */
  readonly memberships: readonly { readonly member: string; readonly group: string }[];
  readonly assignments: readonly { readonly holder: string; readonly resource: Resource; readonly role: string }[];
  /** Null means all tenants. */
  readonly flags: readonly { readonly tenantId: string | null; readonly name: string; readonly value: boolean }[];
  /** The tenant that all questions are asked in. */
  readonly tenantId: string;
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly addOns: readonly AttachedAddOn[];
  readonly overrides: readonly LimitOverride[];
  readonly counters: readonly { readonly limit: string; readonly periodStart: Date; readonly consumed: number }[];
}

/** The plan-related part of a world without plans. */
export const unplanned: Pick<AccessWorld, 'tenantId' | 'subscriptions' | 'addOns' | 'overrides' | 'counters'> = {
  tenantId: 'tenant',
  subscriptions: [],
  addOns: [],
  overrides: [],
  counters: [],
};

/** Stores a world, in one transaction. */
export async function storeWorld(stores: Stores, world: AccessWorld): Promise<void> {
  await stores.transaction(async (inside) => {
    await storeAll(inside, world);
    await storePlans(inside, world);
  });
}

async function storeAll(inside: TransactionStores, world: AccessWorld): Promise<void> {
  const { edges, memberships, assignments, flags } = world;
  for (const { member, group } of memberships) {
    const { id: groupId } = toResource(group);
    await inside.groups.add({ tenantId: world.tenantId, groupId, member: toHolder(member) });
  }
  for (const { child, parent } of edges) await inside.hierarchy.attach({ child, parent });
  for (const { holder, resource, role } of assignments) {
    await inside.roleAssignments.assign({ ...toHolder(holder), resource, role });
  }
  for (const { tenantId, name, value } of flags) await inside.flags.set({ tenantId, name }, value);
}

async function storePlans({ subscriptions, wallets }: TransactionStores, world: AccessWorld): Promise<void> {
  const { tenantId } = world;
  for (const { planName, group, startedAt, expiresAt } of world.subscriptions) {
    await subscriptions.assign({ tenantId, planName, group, startedAt, expiresAt });
  }
  for (const { name, quantity } of world.addOns) await subscriptions.attach({ tenantId, addOn: name, quantity });
  for (const { name, max } of world.overrides) await subscriptions.updateOverrides(tenantId, { [name]: { max } });
  for (const { limit, periodStart, consumed: amount } of world.counters) {
    const debits = [{ limit, periodStart, amount, max: -1 }];
    await wallets.consume({ tenantId, receiptId: crypto.randomUUID(), debits });
  }
}

/** Gives a world its own ids, users and flags, so that many fit into one database. */
export function renameWorld({ model, ...world }: AccessWorld, number: number): AccessWorld {
  const own = (resource: Resource): Resource => ({ ...resource, id: `${number}/${resource.id}` });
  const ownHolder = (name: string): string => {
    const { type, id } = own(toResource(name));
    return `${type}:${id}`;
  };
  const entitlements = Object.entries(model.entitlements).map(([name, entitlement]) => [
    name,
    { ...entitlement, flags: (entitlement.flags ?? []).map((flag) => `${flag}.${number}`) },
  ]);
  return {
    model: { ...model, entitlements: Object.fromEntries(entitlements) },
    resources: world.resources.map(own),
    edges: world.edges.map(({ child, parent }) => ({ child: own(child), parent: own(parent) })),
    memberships: world.memberships.map(({ member, group }) => ({ member: ownHolder(member), group: ownHolder(group) })),
    assignments: world.assignments.map(({ holder, resource, role }) => ({
      holder: ownHolder(holder),
      resource: own(resource),
      role,
    })),
    flags: world.flags.map((flag) => ({
      ...flag,
      tenantId: flag.tenantId === world.tenantId ? `${number}/${flag.tenantId}` : flag.tenantId,
      name: `${flag.name}.${number}`,
    })),
    tenantId: `${number}/${world.tenantId}`,
    subscriptions: world.subscriptions,
    addOns: world.addOns,
    overrides: world.overrides,
    counters: world.counters,
  };
}

/** The entity that ids are selected from: its rows have nothing else. */
export const idTable: EntityTable = { name: 'ids', columns: [], indexes: [] };

/** Finds which of the ids satisfy a condition on the column `id`, by listing rows of {@link idTable}. */
export async function selectIds(stores: Stores, where: Where, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const listed = await stores.transaction(async ({ entities }) => {
    for (const id of ids) await entities.create(idTable.name, { id });
    const { records } = await entities.list(idTable.name, { where, order, after: null, limit: ids.length });
    await entities.deleteAll(idTable.name, all);
    return new Set(records.map(({ row }) => row.id));
  });
  return ids.filter((id) => listed.has(id));
}

/** Lists the ids of the users of a world, who have roles or are in groups. */
export function usersOf({ assignments, memberships }: AccessWorld): readonly string[] {
  const names = [...assignments.map(({ holder }) => holder), ...memberships.map(({ member }) => member)];
  const users = names.map(toResource).filter(({ type }) => type === 'user');
  return [...new Set(users.map(({ id }) => id))];
}

function toHolder(name: string): RoleHolder {
  const { type, id } = toResource(name);
  return type === 'group' ? { groupId: id } : { userId: id as UserId };
}

/** Parses `type:id`; only the first colon separates the two. */
export function toResource(name: string): Resource {
  const at = name.indexOf(':');
  return { type: name.slice(0, at), id: name.slice(at + 1) };
}
