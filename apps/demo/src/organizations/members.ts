import type { AuthOptions } from '@x/auth';
import type { ActionTools } from '@x/entity';
import { CodedError, unauthenticated } from '@x/errors';
import type { Resource, RoleAssignment, SessionId, Stores, TransactionStores, UserId, UserRecord } from '@x/store';
import { all, isIn } from '@x/store/where';
import { z } from 'zod';
import { organizationOf, replaceRole } from '../access/roles.ts';

/** The members of an organization, with each of their roles there. */
interface Members {
  readonly members: readonly { readonly userId: string; readonly email: string; readonly role: string }[];
}

const member = z.strictObject({ userId: z.string(), email: z.string(), role: z.string() });

/** The schema of {@link Members}. */
export const members: z.ZodType<Members, Members> = z.strictObject({ members: z.array(member).readonly() });

/** Lists the members of an organization, sorted by address. */
export async function listMembers(stores: TransactionStores, organizationId: string): Promise<Members> {
  const assignments = await stores.roleAssignments.listByResource(organizationOf(organizationId));
  const users = new Map(
    (await stores.users.findMany(assignments.map(({ userId }) => userId))).map((user) => [user.id, user]),
  );
  const found = assignments.flatMap(({ userId, role }) => {
    const user = users.get(userId);
    return user ? [{ userId, email: user.email, role }] : [];
  });
  return { members: found.toSorted((a, b) => (a.email < b.email ? -1 : 1)) };
}

/** The role that a caller gives a user in an organization; null removes them. */
interface RoleInput {
  readonly userId: string;
  readonly role: string | null;
}

/**
 * Gives a user a role in an organization, replacing theirs, or removes them from it.
 *
 * @throws CodedError `NOT_FOUND` for an unknown id; `FORBIDDEN` if only an owner may; `CONFLICT` if they are the last
 * owner
 */
export async function setRole(tools: ActionTools, organizationId: string, { userId, role }: RoleInput): Promise<void> {
  const organization = organizationOf(organizationId);
  await tools.transaction(async (inside) => {
    const { stores, caller } = inside;
    const user = await lockForCaller(inside, userId as UserId);
    const permission = { entitlement: 'organization:manage', resource: organization };
    const assignments = await lockOrganizationAs(inside, organizationId, permission);
    if (!user) throw new CodedError('NOT_FOUND', 'There is no such user.');
    assertRoleChange({ assignments, callerId: caller.userId, userId, role });
    const operator = { by: caller.userId, tenantId: organizationId };
    await replaceRole(stores, { userId: user.id, resource: organization, role }, operator);
    if (role === null) await leaveTenant(stores, user, organizationId);
  });
}

/** A requested change of a user's role in an organization. */
interface RoleChange {
  /** All roles that users have directly on the organization. */
  readonly assignments: readonly RoleAssignment[];
  /** The user who requests it. */
  readonly callerId: string | null;
  readonly userId: string;
  /** Null for none. */
  readonly role: string | null;
}

/**
 * Makes sure that only owners appoint or remove owners, and that one stays.
 *
 * @throws CodedError `FORBIDDEN`, `CONFLICT`
 */
export function assertRoleChange({ assignments, callerId, userId, role }: RoleChange): void {
  const owners: readonly string[] = assignments.filter((each) => each.role === owner).map((each) => each.userId);
  const isOwner = owners.includes(userId);
  if (isOwner === (role === owner)) return;
  if (callerId === null || !owners.includes(callerId)) throw ownerRequired();
  if (isOwner && owners.length === 1) throw new CodedError('CONFLICT', 'An organization keeps at least one owner.');
}

const owner = 'owner';

function ownerRequired(): CodedError {
  return new CodedError('FORBIDDEN', 'Only an owner may do this.', {
    reason: 'role_required',
    reasons: ['role_required'],
    meta: { requiredRoles: [owner] },
  });
}

/** What a caller needs to change the members of an organization or of its projects. */
interface Permission {
  readonly entitlement: string;
  readonly resource: Resource;
}

/**
 * Makes sure that nobody takes the caller's account over until the transaction ends, and locks the user whose role they
 * are about to change. Whoever waited here for the account to be taken over has lost it.
 *
 * @throws CodedError `UNAUTHENTICATED` if the caller's session has ended, although a JWT of it is still valid
 */
export async function lockForCaller(
  { stores, caller }: ActionTools,
  userId: UserId | null,
): Promise<UserRecord | null> {
  // Whoever takes an account over has already locked its row.
  if (caller.userId !== null && caller.userId !== userId) await lockGrants(stores, caller.userId);
  const user = userId === null ? null : await stores.users.lock(userId);
  const session = caller.sessionId === undefined ? null : await stores.sessions.findById(caller.sessionId as SessionId);
  if (session === null || session.revokedAt !== null) throw unauthenticated();
  return user;
}

/**
 * Locks what a user grants: no role and no invitation of theirs is under way then. Taken before addresses, other users
 * and organizations.
 */
export async function lockGrants(stores: TransactionStores, userId: string): Promise<void> {
  await stores.lock(`grants:${userId}`);
}

/** Locks the users who have some roles, in one order. */
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

/** Lists the users who have some roles, each once. */
export function toUserIds(assignments: readonly RoleAssignment[]): ReadonlySet<UserId> {
  return new Set(assignments.map(({ userId }) => userId));
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
  const assignments = await lockOrganization(stores, id);
  if (resource.type === 'project') await stores.entities.lock('projects', [resource.id], all);
  await access.authorize(entitlement, resource);
  return assignments;
}

/**
 * Moves a locked user, and those of their sessions that are in an organization, to another one that they belong to, or
 * to none. Call it in the transaction that removes them from it.
 */
export async function leaveTenant(
  stores: TransactionStores,
  { id: userId, tenantId }: UserRecord,
  organizationId: string,
): Promise<void> {
  const next = toNextTenant(await stores.roleAssignments.listByUser(userId), organizationId);
  if (tenantId === organizationId) await stores.users.setTenant(userId, next);
  await stores.sessions.leaveTenant(userId, { from: organizationId, to: next });
}

/** Prefers what the user owns: usually the workspace that they started with. */
function toNextTenant(assignments: readonly RoleAssignment[], left: string): string | null {
  const others = assignments.filter(({ resource }) => resource.type === 'organization' && resource.id !== left);
  const owned = others.filter(({ role }) => role === 'owner');
  const [next] = (owned.length > 0 ? owned : others).map(({ resource }) => resource.id).toSorted();
  return next ?? null;
}

/** Builds auth's view of the organizations that a user belongs to. */
export function createTenancy(stores: Stores): NonNullable<AuthOptions['tenant']> {
  return {
    async list({ id }) {
      const ids = await organizationIdsOf(stores, id);
      const { records } = await stores.entities.list('organizations', {
        where: isIn('id', ids),
        order: [{ column: 'id', direction: 'asc' }],
        after: null,
        limit: Math.max(1, ids.length),
      });
      return records.map(({ row }) => ({ id: row.id, name: (row as unknown as { readonly name: string }).name }));
    },
    isMember: async ({ id }, tenantId, { stores: inside }) => (await organizationIdsOf(inside, id)).includes(tenantId),
  };
}

async function organizationIdsOf({ roleAssignments }: TransactionStores, userId: string): Promise<readonly string[]> {
  const assignments = await roleAssignments.listByUser(userId as UserId);
  const ids = assignments.filter(({ resource }) => resource.type === 'organization').map(({ resource }) => resource.id);
  return [...new Set(ids)];
}
