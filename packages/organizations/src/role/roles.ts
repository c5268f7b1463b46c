import { createAccessAdmin, type Operator } from '@x/access';
import { CodedError } from '@x/errors';
import type { Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import type { Settings } from '../settings.ts';

/** The only role that a user is to have directly on a resource. */
interface RoleOnResource {
  readonly userId: UserId;
  readonly resource: Resource;
  /** Null for none. */
  readonly role: string | null;
}

/** Gives a user a role on a resource, replacing all that they have there directly. Runs in the caller's transaction. */
export async function replaceRole(
  { definition }: Pick<Settings, 'definition'>,
  stores: TransactionStores,
  { userId, resource, role }: RoleOnResource,
  operator: Operator,
): Promise<void> {
  const admin = createAccessAdmin({ definition, stores });
  const roles = await rolesOf(stores, userId, resource);
  for (const old of roles) if (old !== role) await admin.revoke({ userId, resource, role: old }, operator);
  if (role !== null) await admin.assign({ userId, resource, role }, operator);
}

/** Does the same, unless the user already has this role there or a higher one. Runs in the caller's transaction. */
export async function raiseRole(
  settings: Pick<Settings, 'definition'>,
  stores: TransactionStores,
  grant: RoleOnResource & { readonly role: string },
  operator: Operator,
): Promise<void> {
  const roles = await rolesOf(stores, grant.userId, grant.resource);
  const declared = settings.definition.entities[grant.resource.type]?.roles ?? [];
  const enough = declared.slice(0, declared.indexOf(grant.role) + 1);
  if (!roles.some((role) => enough.includes(role))) await replaceRole(settings, stores, grant, operator);
}

async function rolesOf(
  { roleAssignments }: TransactionStores,
  userId: UserId,
  resource: Resource,
): Promise<readonly RoleAssignment['role'][]> {
  const all = await roleAssignments.listByResource(resource);
  return all.filter((assignment) => assignment.userId === userId).map(({ role }) => role);
}

/** A requested change of a user's role in an organization. */
interface RoleChange {
  /** All roles that users and groups have directly on the organization. Only users can be its last holder. */
  readonly assignments: readonly RoleAssignment[];
  /** The user who requests it. */
  readonly callerId: string | null;
  readonly userId: string;
  /** Null for none. */
  readonly role: string | null;
}

/**
 * Makes sure that only holders of the owner role give and take it, and that one stays.
 *
 * @throws CodedError `FORBIDDEN`, `CONFLICT`
 */
export function assertRoleChange(
  { ownerRole }: Pick<Settings, 'ownerRole'>,
  { assignments, callerId, userId, role }: RoleChange,
): void {
  const holders: readonly string[] = assignments.flatMap((each) =>
    each.role === ownerRole && each.userId !== undefined ? [each.userId] : [],
  );
  const isHolder = holders.includes(userId);
  if (isHolder === (role === ownerRole)) return;
  if (callerId === null || !holders.includes(callerId)) throw ownerRoleRequired(ownerRole);
  if (isHolder && holders.length === 1) throw lastHolder(ownerRole);
}

/** The error for a caller who does what only holders of the owner role may do. */
export function ownerRoleRequired(ownerRole: string): CodedError {
  return new CodedError('FORBIDDEN', `Only a member with the role ${ownerRole} may do this.`, {
    reason: 'role_required',
    reasons: ['role_required'],
    meta: { requiredRoles: [ownerRole] },
  });
}

/** The error for a change that would leave an organization without the owner role. */
export function lastHolder(ownerRole: string): CodedError {
  return new CodedError('CONFLICT', `An organization keeps at least one ${ownerRole}.`);
}
