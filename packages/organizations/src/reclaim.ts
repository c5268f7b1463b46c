import type { AuthHooks } from '@x/auth';
import type { Clock, Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import { and, eq, isIn } from '@x/store/where';
import { removeInvitations } from './invitations/stored-invitation.ts';
import { lockGrants, lockOrganization, lockUsers } from './role/locks.ts';
import { leaveTenant } from './members/removal.ts';
import { replaceRole } from './role/roles.ts';
import { startWorkspace } from './organization/create.ts';
import type { Settings } from './settings.ts';

/**
 * Builds the hook that takes away what a squatter arranged, once the owner of the address has the account: whatever the
 * account gave others anywhere, and everybody else's place in the organizations that it created. Roles that others gave
 * the account stay.
 */
export function takeBackAccount(settings: Settings, clock: Clock): AuthHooks['onAccountReclaimed'] {
  return async (user, context) => {
    const { stores } = context;
    const userId = user.id as UserId;
    await lockGrants(stores, userId);
    const own = await listOwn(settings, stores, userId);
    await lockAffected(settings, stores, userId, own);
    const organizationIds = own.map(({ id }) => id);
    await removeInvitations(stores, { grantedBy: userId, organizationIds });
    // Whatever others did with the account's role in them.
    for (const resource of own) {
      const operator = { by: null, tenantId: resource.id };
      await replaceRole(settings, stores, { userId, resource, role: settings.sole }, operator);
    }
    const revoked = await revokeAll(settings, stores, userId, own);
    await leaveTenants(settings, stores, revoked);
    const [workspace] = organizationIds;
    if (workspace === undefined) await startWorkspace(settings, clock)({ user, provider: null }, context);
    else await stores.users.setTenant(userId, workspace);
  };
}

/** Lists the organizations that the account created and is still in, the oldest first: that is where it started. */
async function listOwn(
  { type }: Settings,
  { roleAssignments, entities }: TransactionStores,
  userId: UserId,
): Promise<readonly Resource[]> {
  const assignments = await roleAssignments.listByUser(userId);
  const ids = assignments.filter(({ resource }) => resource.type === type).map(({ resource }) => resource.id);
  const { records } = await entities.list('organizations', {
    where: and(isIn('id', ids), eq('createdBy', userId)),
    order: (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const })),
    after: null,
    limit: Math.max(1, ids.length),
  });
  return records.map(({ row }) => ({ type, id: row.id }));
}

/** Locks whoever is about to leave an organization, then all organizations in which roles are about to be revoked. */
async function lockAffected(
  { type }: Settings,
  stores: TransactionStores,
  userId: UserId,
  own: readonly Resource[],
): Promise<void> {
  const { roleAssignments } = stores;
  const others = await roleAssignments.listOthers(userId, own);
  const affected = [...others, ...(await roleAssignments.listGrantedBy(userId))];
  await lockUsers(
    stores,
    affected.filter(({ resource }) => resource.type === type),
  );
  for (const id of await listOrganizations(type, stores, affected)) await lockOrganization(stores, { type, id });
}

/** Lists the organizations that some roles are in, in the order in which they are locked. */
async function listOrganizations(
  type: string,
  { hierarchy }: TransactionStores,
  assignments: readonly RoleAssignment[],
): Promise<readonly string[]> {
  const resources = new Map(assignments.map(({ resource }) => [`${resource.type} ${resource.id}`, resource]));
  const found = new Set<string>();
  for (const resource of resources.values()) {
    const above = (await hierarchy.ancestors(resource)).map((ancestor) => ancestor.resource);
    for (const each of [resource, ...above]) if (each.type === type) found.add(each.id);
  }
  return [...found].toSorted();
}

/** Returns the roles that were revoked. An organization that the account left to others keeps its sole role. */
async function revokeAll(
  { type, sole }: Settings,
  { roleAssignments }: TransactionStores,
  userId: UserId,
  own: readonly Resource[],
): Promise<readonly RoleAssignment[]> {
  const isSole = ({ resource, role }: RoleAssignment): boolean => resource.type === type && role === sole;
  const others = await roleAssignments.revokeOthers(userId, own);
  const granted = await roleAssignments.revokeGrantedBy(userId);
  const holders = Map.groupBy(granted.filter(isSole), ({ resource }) => resource.id);
  const kept = new Set<RoleAssignment>();
  for (const [id, revoked] of holders) {
    if ((await roleAssignments.listByResource({ type, id })).some(isSole)) continue;
    for (const holder of revoked) {
      await roleAssignments.assign({ ...holder, grantedBy: userId });
      kept.add(holder);
    }
  }
  return [...others, ...granted.filter((assignment) => !kept.has(assignment))];
}

/** Moves people out of the organizations that they had a role in. */
async function leaveTenants(
  settings: Settings,
  stores: TransactionStores,
  revoked: readonly RoleAssignment[],
): Promise<void> {
  for (const { userId, resource } of revoked.filter((each) => each.resource.type === settings.type)) {
    if (userId === undefined) continue;
    const user = await stores.users.lock(userId);
    if (user) await leaveTenant(settings, stores, { user, organization: resource, by: null });
    await stores.sessions.raiseVer(userId);
  }
}
