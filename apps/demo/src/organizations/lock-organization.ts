import type { ActionTools } from '@x/entity';
import type { Resource, RoleAssignment, TransactionStores } from '@x/store';
import { all } from '@x/store/where';
import { organizationOf } from '../access/resource.ts';

/** What a caller needs to change the members of an organization or of its projects. */
export interface Permission {
  readonly entitlement: string;
  readonly resource: Resource;
}

/**
 * Locks the membership of an organization, and returns it: nobody else changes it until the transaction ends. Lock a
 * user before calling this for them.
 */
export async function lockOrganization(stores: TransactionStores, id: string): Promise<readonly RoleAssignment[]> {
  await stores.lock(`organization:${id}`);
  return stores.roleAssignments.listByResource(organizationOf(id));
}

/**
 * Does the same for a caller, and checks their permission again, which they may have lost since the rule was checked. A
 * project is locked, too: if it is deleted before, it permits nothing; if afterwards, the roles given on it are deleted
 * with it.
 */
export async function lockOrganizationAs(
  { stores, access }: ActionTools,
  id: string,
  { entitlement, resource }: Permission,
): Promise<readonly RoleAssignment[]> {
  const held = await lockOrganization(stores, id);
  if (resource.type === 'project') await stores.entities.hold('projects', [resource.id], all);
  await access.authorize(entitlement, resource);
  return held;
}
