import { createAccessAdmin, type Operator } from '@x/access';
import type { Resource, TransactionStores, UserId, UserRecord } from '@x/store';
import { and, eq, or } from '@x/store/where';
import { invitationTable, isToUser } from '../invitations/stored-invitation.ts';
import { linkTable } from '../links/links.ts';
import type { Settings } from '../settings.ts';

/** A member who is removed from an organization, by an operator. Both are locked. */
interface Removal {
  readonly user: UserRecord;
  readonly organization: Resource;
  readonly operator: Operator;
}

/**
 * Takes everything from a user that an organization gave them: their roles on it and below it, its groups, the
 * invitations that they sent, their links, those that wait for them, and the tenant of their sessions. Runs in the
 * caller's transaction.
 *
 * Of many roles below, it takes a number that a transaction is good for, and nothing else yet; call it again then, in
 * another transaction.
 *
 * @returns whether the user is removed
 */
export async function removeMember(settings: Settings, stores: TransactionStores, removal: Removal): Promise<boolean> {
  const { user, organization, operator } = removal;
  const admin = createAccessAdmin({ definition: settings.definition, stores });
  const roles = await stores.roleAssignments.listWithin(organization, { userId: user.id, limit: rolesAtOnce });
  const isLast = roles.length < rolesAtOnce;
  // The roles on the organization itself go last: until then, the removal can be repeated.
  const below = roles.filter(({ resource }) => resource.type !== organization.type || resource.id !== organization.id);
  for (const assignment of isLast ? roles : below) await admin.revoke(assignment, operator);
  if (!isLast) return false;
  const { entities } = stores;
  await entities.deleteAll(
    invitationTable,
    and(eq('organizationId', organization.id), or(eq('grantedBy', user.id), isToUser(user))),
  );
  await entities.deleteAll(linkTable, and(eq('organizationId', organization.id), eq('grantedBy', user.id)));
  await leaveTenant(settings, stores, { user, organization, by: operator.by });
  return true;
}

/** How many roles are revoked in one transaction. */
const rolesAtOnce = 100;

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
  const next = await findNextTenant(settings, stores, { userId, left: organization });
  const cause = { by, tenantId: organization.id };
  if (tenantId === organization.id) await stores.users.setTenant(userId, next, cause);
  await stores.sessions.leaveTenant(userId, { from: organization.id, to: next }, cause);
}

/** Prefers where the user has the owner role: usually the organization that they started with. */
async function findNextTenant(
  { type, ownerRole, roles }: Settings,
  { roleAssignments }: TransactionStores,
  { userId, left }: { readonly userId: UserId; readonly left: Resource },
): Promise<string | null> {
  // One more than the user can have on the organization that they leave.
  const first = { type, limit: roles.length + 1 };
  const findFirst = async (filter: { readonly role?: string }): Promise<string | undefined> =>
    (await roleAssignments.listOfType(userId, { ...first, ...filter })).find(({ resource }) => resource.id !== left.id)
      ?.resource.id;
  return (await findFirst({ role: ownerRole })) ?? (await findFirst({})) ?? null;
}
