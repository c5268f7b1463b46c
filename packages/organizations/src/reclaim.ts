import type { AuthHooks } from '@x/auth';
import type { Clock, EntityListing, Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import { eq, isIn } from '@x/store/where';
import { removeInvitations } from './invitations/stored-invitation.ts';
import { lockGrants, lockOrganization, lockUsers } from './role/locks.ts';
import { leaveTenant } from './members/removal.ts';
import { replaceRole } from './role/roles.ts';
import { startWorkspace } from './organization/create.ts';
import type { Settings } from './settings.ts';

/**
 * Builds the hook that takes away all that a squatter arranged, once the owner of the address has the account: the
 * roles that the account gave others anywhere, and all other memberships of the organizations that it created. Roles
 * that others gave the account stay.
 *
 * Each batch begins with the lock on what the account grants: a grant that was under way when it was reclaimed is seen
 * then.
 */
export function recoverPreHijacked(settings: Settings, clock: Clock): AuthHooks['onAccountReclaimed'] {
  return async (user, { batch }) => {
    const userId = user.id as UserId;
    while (await batch(({ stores }) => removeSent(stores, userId)));
    while (await batch(({ stores }) => revokeGranted(settings, stores, userId)));
    let workspace: string | null = null;
    let after: EntityListing['after'] = null;
    do {
      const page: OwnPage = await batch(({ stores }) => listOwn(settings, stores, { userId, after }));
      const { own } = page;
      if (own.length > 0) while (await batch(({ stores }) => removeOthers(settings, stores, { userId, own })));
      workspace ??= own[0]?.id ?? null;
      after = page.next;
    } while (after !== null);
    await batch(async (context) => {
      if (workspace === null) await startWorkspace(settings, clock)({ user, provider: null }, context);
      else await context.stores.users.setTenant(userId, workspace, { reason });
    });
  };
}

/** @returns whether there are more */
async function removeSent(stores: TransactionStores, userId: UserId): Promise<boolean> {
  await lockGrants(stores, userId);
  return removeInvitations(stores, eq('grantedBy', userId));
}

/** Why roles are revoked, for the log. */
const reason = 'account_reclaimed';

/** How many organizations are looked at, and how many roles are revoked, in one transaction. */
const [organizationsAtOnce, rolesAtOnce] = [25, 25];

/** Some of the account's own organizations. */
interface OwnPage {
  readonly own: readonly Resource[];
  /** Where the next page begins; null after the last one. */
  readonly next: EntityListing['after'];
}

/** Lists the organizations that the account created and is still in, the oldest first: that is where it started. */
async function listOwn(
  { type }: Settings,
  { roleAssignments, entities }: TransactionStores,
  { userId, after }: { readonly userId: UserId; readonly after: EntityListing['after'] },
): Promise<OwnPage> {
  const { records, hasMore } = await entities.list('organizations', {
    where: eq('createdBy', userId),
    order: (['createdAt', 'id'] as const).map((column) => ({ column, direction: 'asc' as const })),
    after,
    limit: organizationsAtOnce,
  });
  const created = records.map(({ row }) => ({ type, id: row.id }));
  const paths = await roleAssignments.readPaths(userId, created);
  const last = records.at(-1)?.row;
  return {
    own: created.filter((_, index) => (paths[index]?.roles.length ?? 0) > 0),
    next: hasMore && last ? [(last['createdAt'] as Date).getTime(), last.id] : null,
  };
}

/**
 * Revokes roles that the account gave others. An organization that it left to others keeps its owner role, given by the
 * app from now on.
 *
 * @returns whether there may be more
 */
async function revokeGranted(settings: Settings, stores: TransactionStores, userId: UserId): Promise<boolean> {
  const { roleAssignments } = stores;
  await lockGrants(stores, userId);
  const granted = await roleAssignments.listGrantedBy(userId, rolesAtOnce);
  const revoked = await revokeEach(settings, stores, granted);
  const isSole = ({ resource, role }: RoleAssignment): boolean =>
    resource.type === settings.type && role === settings.ownerRole;
  const kept = new Set<RoleAssignment>();
  for (const [id, holders] of Map.groupBy(revoked.filter(isSole), ({ resource }) => resource.id)) {
    if ((await roleAssignments.listByResource({ type: settings.type, id })).some(isSole)) continue;
    for (const holder of holders) {
      await roleAssignments.assign(holder, { tenantId: id, reason });
      kept.add(holder);
    }
  }
  await leaveTenants(
    settings,
    stores,
    revoked.filter((assignment) => !kept.has(assignment)),
  );
  return granted.length === rolesAtOnce;
}

/**
 * Makes the account the only one in some of its organizations, even if others changed its role in them.
 *
 * @returns whether there may be more
 */
async function removeOthers(
  settings: Settings,
  stores: TransactionStores,
  { userId, own }: { readonly userId: UserId; readonly own: readonly Resource[] },
): Promise<boolean> {
  const { roleAssignments } = stores;
  await lockGrants(stores, userId);
  // First: an invitation that is being accepted is over then, and its role is among those that are listed.
  const ids = own.map(({ id }) => id);
  if (await removeInvitations(stores, isIn('organizationId', ids))) return true;
  const others = await roleAssignments.listOthers(userId, { resources: own, isBelow: true, limit: rolesAtOnce });
  await leaveTenants(settings, stores, await revokeEach(settings, stores, others));
  if (others.length > 0) return true;
  const paths = await roleAssignments.readPaths(userId, own);
  for (const { resource, roles } of paths) {
    if (roles.length === 1 && roles[0] === settings.ownerRole) continue;
    const operator = { by: null, tenantId: resource.id, reason };
    await replaceRole(settings, stores, { userId, resource, role: settings.ownerRole }, operator);
  }
  return false;
}

/**
 * Revokes roles, and returns those that were still there. It first locks the users who are about to leave an
 * organization, then all organizations in which roles are about to be revoked.
 */
async function revokeEach(
  { type }: Settings,
  stores: TransactionStores,
  assignments: readonly RoleAssignment[],
): Promise<readonly RoleAssignment[]> {
  await lockUsers(
    stores,
    assignments.filter(({ resource }) => resource.type === type),
  );
  const organizations = await findOrganizations(type, stores, assignments);
  for (const id of [...new Set([...organizations.values()].flat())].toSorted()) {
    await lockOrganization(stores, { type, id });
  }
  const revoked: RoleAssignment[] = [];
  for (const assignment of assignments) {
    const [tenantId = null] = organizations.get(toKey(assignment.resource)) ?? [];
    if (await stores.roleAssignments.revoke(assignment, { tenantId, reason })) revoked.push(assignment);
  }
  return revoked;
}

/** Finds the organizations that the resources of some roles are in. */
async function findOrganizations(
  type: string,
  { hierarchy }: TransactionStores,
  assignments: readonly RoleAssignment[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const resources = new Map(assignments.map(({ resource }) => [toKey(resource), resource]));
  const found = new Map<string, readonly string[]>();
  for (const [key, resource] of resources) {
    const above = (await hierarchy.ancestors(resource)).map((ancestor) => ancestor.resource);
    found.set(
      key,
      [resource, ...above].filter((each) => each.type === type).map(({ id }) => id),
    );
  }
  return found;
}

function toKey({ type, id }: Resource): string {
  return `${type} ${id}`;
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
    await stores.sessions.bumpTokenVersion(userId);
  }
}
