import type { ActionTools } from '@x/entity';
import { unauthenticated } from '@x/errors';
import type { Resource, RoleAssignment, SessionId, TransactionStores, UserId, UserRecord } from '@x/store';
import { all } from '@x/store/where';

// Locks are taken in one order everywhere: the grants of a user, addresses, users by their ids, organizations by
// theirs. Who locks the row of their own account needs no lock on its grants: the row keeps it from being reclaimed,
// too. The deletion of an account locks its row before its grants.

/** The caller of an action, in a transaction. */
type CallerInside = Pick<ActionTools, 'stores' | 'caller'>;

/**
 * Makes sure that the caller is still signed in, and that their account is not reclaimed until the transaction ends. A
 * caller who waited here for a reclaim has lost the account.
 *
 * @throws CodedError `UNAUTHENTICATED` if the caller's session has ended, although a JWT of it is still valid; for a
 * caller without one, if the account is gone or disabled
 */
export async function lockSignedIn({ stores, caller }: CallerInside): Promise<void> {
  if (caller.userId !== null) await lockGrants(stores, caller.userId);
  await assertSignedIn(stores, caller);
}

/**
 * Does the same, and locks the user whose role the caller is about to change, and others.
 *
 * @throws CodedError `UNAUTHENTICATED`
 */
export async function lockUserAs(
  { stores, caller }: CallerInside,
  userId: UserId,
  others: ReadonlySet<UserId> = new Set(),
): Promise<UserRecord | null> {
  // A transaction that reclaims an account has already locked its row.
  if (caller.userId !== null && caller.userId !== userId) await lockGrants(stores, caller.userId);
  let user: UserRecord | null = null;
  for (const id of [...others, userId].toSorted()) {
    const locked = await lockUser(stores, id);
    if (id === userId) user = locked;
  }
  await assertSignedIn(stores, caller);
  return user;
}

/** A reclaim of an account ends its sessions. For a credential without one, only the account is checked. */
async function assertSignedIn(
  { sessions, users }: TransactionStores,
  { userId, sessionId }: ActionTools['caller'],
): Promise<void> {
  if (sessionId !== undefined) {
    if ((await sessions.findById(sessionId as SessionId))?.revokedAt === null) return;
    throw unauthenticated();
  }
  const user = userId === null ? null : await users.findById(userId as UserId);
  if (!user || user.disabledAt !== null || user.unfinished !== null) throw unauthenticated();
}

/** Locks a user, unless their account is gone: one that is being deleted gets no role any more. */
export async function lockUser({ users }: TransactionStores, userId: UserId): Promise<UserRecord | null> {
  const user = await users.lock(userId);
  return user?.unfinished === 'deletion' ? null : user;
}

/** Locks what a user grants: no role and no invitation of theirs is under way then. */
export async function lockGrants(stores: TransactionStores, userId: string): Promise<void> {
  await stores.lock(`grants:${userId}`);
}

/** Locks the users who have some roles. */
export async function lockUsers(
  { users }: TransactionStores,
  assignments: readonly RoleAssignment[],
): Promise<readonly UserRecord[]> {
  const found: UserRecord[] = [];
  for (const id of [...toUserIds(assignments)].toSorted()) {
    const user = await users.lock(id);
    if (user) found.push(user);
  }
  return found;
}

/** Lists the users who were assigned some roles themselves, each once. */
export function toUserIds(assignments: readonly RoleAssignment[]): ReadonlySet<UserId> {
  return new Set(assignments.flatMap(({ userId }) => userId ?? []));
}

/**
 * Locks the membership of an organization, and returns it: no other transaction changes it until this one ends. Lock a
 * user before calling this for them.
 */
export async function lockOrganization(
  stores: TransactionStores,
  organization: Resource,
): Promise<readonly RoleAssignment[]> {
  await stores.lock(`organization:${organization.id}`);
  return stores.roleAssignments.listByResource(organization);
}

/** The permission that a caller needs to change the members of an organization, or of something below it. */
export interface Permission {
  readonly entitlement: string;
  readonly resource: Resource;
  /** The entity that the resource is a record of, unless it is the organization. */
  readonly entity?: string;
}

/** The organization above the resource of a permission. */
export interface InOrganization {
  readonly organizationId: string;
}

/**
 * Does the same for a caller, and checks their permission again, which they may have lost since the rule was checked. A
 * record below is locked, too: if it is deleted before, it permits nothing; if afterwards, the roles given on it are
 * deleted with it.
 */
export async function lockOrganizationAs(
  { stores, access }: Pick<ActionTools, 'stores' | 'access'>,
  organization: Resource,
  { entitlement, resource, entity }: Permission,
): Promise<readonly RoleAssignment[]> {
  const assignments = await lockOrganization(stores, organization);
  if (entity !== undefined) await stores.entities.lock(entity, [resource.id], all);
  await access.authorize(entitlement, resource);
  return assignments;
}
