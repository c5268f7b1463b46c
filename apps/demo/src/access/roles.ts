import { type AccessModel, createAccessAdmin, type Operator } from '@x/access';
import type { Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import { definition } from './definition.ts';

/** Builds the resource of an organization. */
export function organizationOf(id: string): { readonly type: 'organization'; readonly id: string } {
  return { type: 'organization', id };
}

/** Builds the resource of a project. */
export function projectOf(id: string): { readonly type: 'project'; readonly id: string } {
  return { type: 'project', id };
}

/** The only role that a user is to have directly on a resource. */
interface RoleOnResource {
  readonly userId: UserId;
  readonly resource: Resource;
  /** Null for none. */
  readonly role: string | null;
}

/** Gives a user a role on a resource, replacing all that they have there directly. Runs in the caller's transaction. */
export async function replaceRole(
  stores: TransactionStores,
  { userId, resource, role }: RoleOnResource,
  operator: Operator,
): Promise<void> {
  const admin = createAccessAdmin<AccessModel>({ definition, stores });
  const roles = await rolesOf(stores, userId, resource);
  for (const old of roles) if (old !== role) await admin.revoke({ userId, resource, role: old }, operator);
  if (role !== null) await admin.assign({ userId, resource, role }, operator);
}

/** Does the same, unless the user already has this role there or a higher one. Runs in the caller's transaction. */
export async function raiseRole(
  stores: TransactionStores,
  grant: RoleOnResource & { readonly role: string },
  operator: Operator,
): Promise<void> {
  const roles = await rolesOf(stores, grant.userId, grant.resource);
  const enough = rolesFrom(grant.resource.type, grant.role);
  if (!roles.some((role) => enough.includes(role))) await replaceRole(stores, grant, operator);
}

async function rolesOf(
  { roleAssignments }: TransactionStores,
  userId: UserId,
  resource: Resource,
): Promise<readonly RoleAssignment['role'][]> {
  const all = await roleAssignments.listByResource(resource);
  return all.filter((assignment) => assignment.userId === userId).map(({ role }) => role);
}

/** Lists a role and those above it: a type declares its roles from the highest down. */
function rolesFrom(type: string, role: string): readonly string[] {
  const { entities }: AccessModel = definition;
  const roles = entities[type]?.roles ?? [];
  return roles.slice(0, roles.indexOf(role) + 1);
}
