import { createAccessAdmin, type Operator } from '@x/access';
import type { GrantedRoles, Resource, RoleAssignment, TransactionStores, UserId, UserRecord, UserRole } from '@x/store';
import { and, eq, or } from '@x/store/where';
import { invitationTable } from '../invitations/stored-invitation.ts';
import { linkTable } from '../links/links.ts';
import type { Settings } from '../settings.ts';

/**
 * Takes everything from a user that an organization gave them: their roles on it and below it, its groups, the
 * invitations that they sent, their links, those that wait for them, and the tenant of their sessions. Both are locked.
 * Runs in the caller's transaction.
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
  await entities.deleteAll(linkTable, and(eq('organizationId', organization.id), eq('grantedBy', user.id)));
  await leaveTenant(settings, stores, { user, organization, by: operator.by });
}

/** Lists the roles that a user was assigned on a resource and on everything below it. */
async function listWithin(
  { roleAssignments }: TransactionStores,
  userId: UserId,
  top: Resource,
): Promise<readonly UserRole[]> {
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

/** A locked user who leaves an organization, by a user or, if that is null, by the app itself. */
interface Leaving {
  readonly user: UserRecord;
  readonly organization: Resource;
  readonly by: string | null;
}

/**
 * Takes a user out of the groups of an organization, and moves them, and those of their sessions that are in it, to
 * another one that they belong to, or to none. Call it in the transaction that removes them from it.
 */
export async function leaveTenant(
  settings: Settings,
  stores: TransactionStores,
  { user, organization, by }: Leaving,
): Promise<void> {
  const { id: userId, tenantId } = user;
  await createAccessAdmin({ definition: settings.definition, stores }).leaveGroups(userId, organization.id, { by });
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
