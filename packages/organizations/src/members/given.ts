import { createAccessAdmin, type Operator } from '@x/access';
import type { Grant, Resource, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import { toUserIds } from '../role/locks.ts';
import type { Settings } from '../settings.ts';
import { removeMember } from './removal.ts';

/** A role in an organization or below it that a person gave another, who still has it. */
export interface GivenRole {
  readonly userId: string;
  readonly resource: Resource;
  readonly role: string;
  readonly grantedAt: Date;
}

/** The schema of {@link GivenRole}. */
export const givenRole: z.ZodType<GivenRole, GivenRole> = z.strictObject({
  userId: z.string(),
  resource: z.strictObject({ type: z.string(), id: z.string() }),
  role: z.string(),
  grantedAt: z.date(),
});

/** A person, and the organization in which they gave roles. */
interface Giving {
  readonly grantedBy: UserId;
  readonly organization: Resource;
}

/** Lists what a person gave others in an organization: at most 1 000. */
export async function listGiven(
  { roleAssignments }: TransactionStores,
  { grantedBy, organization }: Giving,
): Promise<readonly GivenRole[]> {
  const given = await roleAssignments.listWithin(organization, { grantedBy, limit: 1000 });
  return given.flatMap(({ userId, resource, role, grantedAt }) =>
    userId === undefined ? [] : [{ userId, resource, role, grantedAt }],
  );
}

/**
 * The users, but for the caller, to whom a person gave a role in an organization: as many as a transaction is good for.
 */
export async function listReceivers(
  stores: TransactionStores,
  giving: Giving,
  callerId: string | null,
): Promise<ReadonlySet<UserId>> {
  const given = await listSome(stores, giving);
  return toUserIds(given.filter(({ userId }) => userId !== callerId));
}

/** The revocation of what a person gave others, by an operator. */
interface GivenRevocation extends Giving {
  readonly operator: Operator;
  /** Users who are locked. The organization is, too. */
  readonly locked: ReadonlySet<UserId>;
}

/**
 * Revokes roles that a person gave others in an organization, as many as a transaction is good for, and removes members
 * of whom no other role is left. Owners and the operator stay as they are, as if the app had given them their roles.
 * Runs in the caller's transaction.
 *
 * @returns whether those were all
 */
export async function revokeGiven(
  settings: Settings,
  stores: TransactionStores,
  revocation: GivenRevocation,
): Promise<boolean> {
  // Some may have been given after their users were listed to be locked.
  const given = await listSome(stores, revocation);
  let isAll = given.length < rolesAtOnce;
  for (const grant of given) {
    const { userId } = grant;
    const isLocked = userId === undefined || userId === revocation.operator.by || revocation.locked.has(userId);
    const isRevoked = isLocked && (await revokeOne(settings, stores, grant, revocation));
    isAll &&= isRevoked;
  }
  return isAll;
}

/** How many roles are revoked in one transaction. */
const rolesAtOnce = 50;

function listSome(
  { roleAssignments }: TransactionStores,
  { grantedBy, organization }: Giving,
): Promise<readonly Grant[]> {
  return roleAssignments.listWithin(organization, { grantedBy, limit: rolesAtOnce });
}

/** Says whether it is done. */
async function revokeOne(
  settings: Settings,
  stores: TransactionStores,
  { grantedBy: _by, grantedAt: _at, ...assignment }: Grant,
  { organization, operator }: GivenRevocation,
): Promise<boolean> {
  const { userId, resource, role } = assignment;
  const isOnOrganization = resource.type === organization.type && resource.id === organization.id;
  const isKept = userId === operator.by || (isOnOrganization && role === settings.ownerRole);
  if (isOnOrganization && !isKept && userId !== undefined) {
    const members = await stores.roleAssignments.listByResource(organization);
    const isLast = members.every((each) => each.userId !== userId || each.role === role);
    const user = isLast ? await stores.users.lock(userId) : null;
    if (user) return removeMember(settings, stores, { user, organization, operator });
  }
  await createAccessAdmin({ definition: settings.definition, stores }).revoke(assignment, operator);
  if (isKept) await stores.roleAssignments.assign(assignment, { ...operator, by: null });
  return true;
}
