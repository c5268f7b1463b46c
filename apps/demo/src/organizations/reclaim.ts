import type { AuthHooks } from '@x/auth';
import type { Clock, Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import { and, eq, isIn } from '@x/store/where';
import { organizationOf, replaceRole } from '../access/roles.ts';
import { startWorkspace } from './create.ts';
import { removeInvitations } from './invitations.ts';
import { leaveTenant, lockGrants, lockOrganization, lockUsers } from './members.ts';

/**
 * Builds the hook that takes away what a squatter arranged, once the owner of the address has the account: whatever the
 * account gave others anywhere, and everybody else's place in the organizations that it created. Roles that others gave
 * the account stay.
 */
export function takeBackAccount(clock: Clock): AuthHooks['onAccountReclaimed'] {
  return async (user, context) => {
    const { stores } = context;
    const userId = user.id as UserId;
    await lockGrants(stores, userId);
    const own = await listOwn(stores, userId);
    await lockAffected(stores, userId, own);
    await removeInvitations(stores, { grantedBy: userId, organizationIds: own });
    // Whatever others did with the account's role in them.
    for (const id of own) await makeOwner(stores, userId, organizationOf(id));
    const revoked = await revokeAll(stores, userId, own);
    await leaveTenants(stores, revoked);
    const [workspace] = own;
    if (workspace === undefined) await startWorkspace(clock)({ user, provider: null }, context);
    else await stores.users.setTenant(userId, workspace);
  };
}

/** Lists the organizations that the account created and is still in, the oldest first: that is where it started. */
async function listOwn({ roleAssignments, entities }: TransactionStores, userId: UserId): Promise<readonly string[]> {
  const ids = (await roleAssignments.listByUser(userId)).filter(isMembership).map(({ resource }) => resource.id);
  const { records } = await entities.list('organizations', {
    where: and(isIn('id', ids), eq('createdBy', userId)),
    order: (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const })),
    after: null,
    limit: Math.max(1, ids.length),
  });
  return records.map(({ row }) => row.id);
}

/** Locks whoever is about to leave an organization, then all organizations in which roles are about to be revoked. */
async function lockAffected(stores: TransactionStores, userId: UserId, own: readonly string[]): Promise<void> {
  const { roleAssignments } = stores;
  const others = await roleAssignments.listOthers(userId, own.map(organizationOf));
  const affected = [...others, ...(await roleAssignments.listGrantedBy(userId))];
  await lockUsers(stores, affected.filter(isMembership));
  for (const id of await listOrganizations(stores, affected)) await lockOrganization(stores, id);
}

/** Lists the organizations of the resources of some roles, in the order in which they are locked. */
async function listOrganizations(
  { entities }: TransactionStores,
  assignments: readonly RoleAssignment[],
): Promise<readonly string[]> {
  const idsOf = (type: string): readonly string[] =>
    assignments.filter(({ resource }) => resource.type === type).map(({ resource }) => resource.id);
  const projectIds = [...new Set(idsOf('project'))];
  const { records } = await entities.list('projects', {
    where: isIn('id', projectIds),
    order: [{ column: 'id', direction: 'asc' }],
    after: null,
    limit: Math.max(1, projectIds.length),
  });
  const ofProjects = records.map(({ row }) => (row as unknown as { readonly organizationId: string }).organizationId);
  return [...new Set([...idsOf('organization'), ...ofProjects])].toSorted();
}

async function makeOwner(stores: TransactionStores, userId: UserId, resource: Resource): Promise<void> {
  await replaceRole(stores, { userId, resource, role: 'owner' }, { by: null, tenantId: resource.id });
}

/** Returns the roles that were revoked. An organization that the account left to others keeps an owner. */
async function revokeAll(
  { roleAssignments }: TransactionStores,
  userId: UserId,
  own: readonly string[],
): Promise<readonly RoleAssignment[]> {
  const others = await roleAssignments.revokeOthers(userId, own.map(organizationOf));
  const granted = await roleAssignments.revokeGrantedBy(userId);
  const owners = Map.groupBy(granted.filter(isOwnership), ({ resource }) => resource.id);
  const kept = new Set<RoleAssignment>();
  for (const [id, revoked] of owners) {
    if ((await roleAssignments.listByResource(organizationOf(id))).some(isOwnership)) continue;
    for (const ownership of revoked) {
      await roleAssignments.assign({ ...ownership, grantedBy: userId });
      kept.add(ownership);
    }
  }
  return [...others, ...granted.filter((assignment) => !kept.has(assignment))];
}

/** Moves people out of the organizations that they had a role in. */
async function leaveTenants(stores: TransactionStores, revoked: readonly RoleAssignment[]): Promise<void> {
  for (const { userId, resource } of revoked.filter(isMembership)) {
    const user = await stores.users.lock(userId);
    if (user) await leaveTenant(stores, user, resource.id);
    await stores.sessions.raiseVer(userId);
  }
}

function isMembership({ resource }: RoleAssignment): boolean {
  return resource.type === 'organization';
}

function isOwnership(assignment: RoleAssignment): boolean {
  return isMembership(assignment) && assignment.role === 'owner';
}
