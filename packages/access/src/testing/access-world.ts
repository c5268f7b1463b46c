import type { Resource, Stores, TransactionStores, UserId, Where } from '@x/store';
import { matches } from '@x/store';

import type { AccessModel } from '../definition/access-model.ts';

/** A model with all that is stored about it, as plain data. */
export interface AccessWorld {
  readonly model: AccessModel;
  readonly resources: readonly Resource[];
  readonly edges: readonly { readonly child: Resource; readonly parent: Resource }[];
  readonly assignments: readonly { readonly userId: string; readonly resource: Resource; readonly role: string }[];
  /** Null is for all tenants. */
  readonly flags: readonly { readonly tenantId: string | null; readonly name: string; readonly value: boolean }[];
}

/** Stores a world, in one transaction. */
export async function storeWorld(stores: Stores, world: AccessWorld): Promise<void> {
  await stores.transaction(async (inside) => storeAll(inside, world));
}

async function storeAll(inside: TransactionStores, { edges, assignments, flags }: AccessWorld): Promise<void> {
  for (const { child, parent } of edges) await inside.closure.attach(child, parent);
  for (const { userId, resource, role } of assignments) {
    await inside.roleAssignments.assign({ userId: userId as UserId, resource, role });
  }
  for (const { tenantId, name, value } of flags) await inside.flags.set({ tenantId, name }, value);
}

/** Gives a world ids, users and flags of its own, so that many can be in one database. */
export function renameWorld({ model, ...world }: AccessWorld, number: number): AccessWorld {
  const own = (resource: Resource): Resource => ({ ...resource, id: `${number}/${resource.id}` });
  const entitlements = Object.entries(model.entitlements).map(([name, entitlement]) => [
    name,
    { ...entitlement, flags: (entitlement.flags ?? []).map((flag) => `${flag}.${number}`) },
  ]);
  return {
    model: { ...model, entitlements: Object.fromEntries(entitlements) },
    resources: world.resources.map(own),
    edges: world.edges.map(({ child, parent }) => ({ child: own(child), parent: own(parent) })),
    assignments: world.assignments.map(({ userId, resource, role }) => ({
      userId: `${number}/${userId}`,
      resource: own(resource),
      role,
    })),
    flags: world.flags.map((flag) => ({ ...flag, name: `${flag.name}.${number}` })),
  };
}

/** Finds which of the ids satisfy a condition on the column `id`, with the store's answer to what it asks. */
export async function selectIds(stores: Stores, where: Where, ids: readonly string[]): Promise<readonly string[]> {
  const held =
    where.type === 'held' ? new Set(await stores.roleAssignments.listHeld(where.resources)) : new Set<string>();
  return ids.filter((id) => matches(where, { id }, () => held));
}

/** Reads `type:id` as a resource; only the first colon stands between the two. */
export function toResource(name: string): Resource {
  const at = name.indexOf(':');
  return { type: name.slice(0, at), id: name.slice(at + 1) };
}
