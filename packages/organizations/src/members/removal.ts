import { createAccessAdmin, type Operator } from '@x/access';
import type { GrantedRoles, Resource, RoleAssignment, TransactionStores, UserId, UserRecord } from '@x/store';
import { and, eq, or } from '@x/store/where';
import { invitationTable } from '../invitations/stored-invitation.ts';
import type { Settings } from '../settings.ts';

/**
 * Takes everything from a user that an organization gave them: their roles on it and below it, the invitations that they
 * sent and those that wait for them, and the tenant of their sessions. Both are locked. Runs in the caller's
 * transaction.
 */
export async function removeMember(
  settings: Settings,
  stores: TransactionStores,
  user: UserRecord,
  organization: Resource,
  operator: Operator,
): Promise<void> {
  const admin = createAccessAdmin({ definition: settings.definition, stores });
  for (const assignment of await listWithin(stores, user.id, organization)) await admin.revoke(assignment, operator);
  const { entities } = stores;
  const addresses = [...new Set([user.email, user.loginEmail])].flatMap((email) => (email === null ? [] : [email]));
  await entities.deleteAll(
    invitationTable,
    and(
      eq('organizationId', organization.id),
      or(eq('grantedBy', user.id), ...addresses.map((email) => eq('email', email))),
    ),
  );
  await leaveTenant(settings, stores, user, organization);
}

/** Lists the roles that a user was assigned on a resource and on everything below it. */
async function listWithin(
  { roleAssignments }: TransactionStores,
  userId: UserId,
  top: Resource,
): Promise<readonly RoleAssignment[]> {
  const assignments = await roleAssignments.listByUser(userId);
  const paths = await roleAssignments.readPaths(
    userId,
    assignments.map(({ resource }) => resource),
  );
  return assignments.filter((_, index) => {
    const path = paths[index];
    return path !== undefined && isWithin(path, top);
  });
}

function isWithin({ resource, parents }: GrantedRoles, top: Resource): boolean {
  return (resource.type === top.type && resource.id === top.id) || parents.some((parent) => isWithin(parent, top));
}

/**
 * Moves a locked user, and those of their sessions that are in an organization, to another one that they belong to, or
 * to none. Call it in the transaction that removes them from it.
 */
export async function leaveTenant(
  settings: Settings,
  stores: TransactionStores,
  { id: userId, tenantId }: UserRecord,
  organization: Resource,
): Promise<void> {
  const next = toNextTenant(settings, await stores.roleAssignments.listByUser(userId), organization);
  if (tenantId === organization.id) await stores.users.setTenant(userId, next);
  await stores.sessions.leaveTenant(userId, { from: organization.id, to: next });
}

/** Prefers where the user has the sole role: usually the organization that they started with. */
function toNextTenant({ type, sole }: Settings, assignments: readonly RoleAssignment[], left: Resource): string | null {
  const others = assignments.filter(({ resource }) => resource.type === type && resource.id !== left.id);
  const own = others.filter(({ role }) => role === sole);
  const [next] = (own.length > 0 ? own : others).map(({ resource }) => resource.id).toSorted();
  return next ?? null;
}
