import type { ActionTools } from '@x/entity';
import type { Resource, RoleAssignment, TransactionStores, Where } from '@x/store';
import { organizationOf } from '../access/resource.ts';

/** What a caller has to hold to change who belongs to an organization or works on its projects. */
export interface Permission {
  readonly entitlement: string;
  readonly resource: Resource;
}

/**
 * Locks who belongs to an organization, and returns who does: nobody else changes that until the
 * transaction is over. Whoever takes it for a user holds the user first.
 */
export async function lockOrganization(stores: TransactionStores, id: string): Promise<readonly RoleAssignment[]> {
  await stores.lock(`organization:${id}`);
  return stores.roleAssignments.listByResource(organizationOf(id));
}

/**
 * Does the same for a caller, who may have lost what permits it to them since the rule was asked. A project is held, too: it
 * is deleted before, and permits nothing, or afterwards, and takes along the roles that were given on it.
 */
export async function lockOrganizationAs(
  { stores, access }: ActionTools,
  id: string,
  { entitlement, resource }: Permission,
): Promise<readonly RoleAssignment[]> {
  const held = await lockOrganization(stores, id);
  if (resource.type === 'project') await stores.entities.hold('projects', [resource.id], always);
  await access.authorize(entitlement, resource);
  return held;
}

const always: Where = { type: 'constant', value: true };
