import type { ActionTools } from '@x/entity';
import { CodedError, unauthenticated } from '@x/errors';
import type { Resource, RoleAssignment, TransactionStores, UserId } from '@x/store';
import { and, eq } from '@x/store/where';
import { invitationTable, isToUser } from '../invitations/stored-invitation.ts';
import type { Settings } from '../settings.ts';
import {
  type InOrganization,
  lockOrganization,
  lockOrganizationAs,
  lockUserAs,
  type Permission,
} from '../role/locks.ts';
import { type GivenRole, listGiven, listReceivers, revokeGiven } from './given.ts';
import { removeMember } from './removal.ts';
import { assertRoleChange, lastHolder, replaceRole, ownerRoleRequired } from '../role/roles.ts';

/** The role that a caller gives a user in an organization; null removes them. */
export interface RoleInput<Role extends string = string> {
  readonly userId: string;
  readonly role: Role | null;
  /** Of a removal: what becomes of the roles that they gave others. Default `keep`. */
  readonly given?: 'keep' | 'revoke' | undefined;
}

/**
 * Gives a user a role in an organization, replacing theirs, or removes them from it with everything below. Where people
 * are asked first, only members get another role.
 *
 * @returns the roles that a removed user gave others, and that these still have
 * @throws CodedError `NOT_FOUND` for an unknown id, and for one of no member where people are asked first; `FORBIDDEN`
 * if only a holder of the owner role may; `CONFLICT` if they are its last holder
 */
export async function setRole(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { userId, role, given }: RoleInput,
): Promise<readonly GivenRole[]> {
  const giving = { grantedBy: userId as UserId, organization };
  await untilDone(tools, async (inside) => {
    const { stores, caller } = inside;
    const receivers = given === 'revoke' ? await listReceivers(stores, giving, caller.userId) : new Set<UserId>();
    const user = await lockUserAs(inside, userId as UserId, receivers);
    const permission = { entitlement: settings.entitlements.manage, resource: organization };
    const assignments = await lockOrganizationAs(inside, organization, permission);
    if (!user) throw noSuchUser();
    if (role !== null && settings.accept === 'always' && !hasRole(assignments, { userId: user.id })) throw noSuchUser();
    assertRoleChange(settings, { assignments, callerId: caller.userId, userId, role });
    const operator = { by: caller.userId, tenantId: organization.id };
    if (given === 'revoke' && !(await revokeGiven(settings, stores, { ...giving, operator, locked: receivers })))
      return false;
    if (role === null) return removeMember(settings, stores, { user, organization, operator });
    await replaceRole(settings, stores, { userId: user.id, resource: organization, role }, operator);
    return true;
  });
  return role === null ? listGiven(tools.stores, giving) : [];
}

/** Runs a step in one transaction after the other, with all its checks, until it says that it is done. */
async function untilDone(tools: ActionTools, step: (inside: ActionTools) => Promise<boolean>): Promise<void> {
  while (!(await tools.transaction(step)));
}

/** A role that a caller gives a user on something below an organization, and the permission for it. */
export interface RoleRequest extends Permission {
  readonly userId: string;
  /** Null takes theirs away. */
  readonly role: string | null;
}

/**
 * Gives a user a role on something below an organization, replacing theirs there, or takes it away, with the invitation
 * there that waits for them. Where people are asked first, only those get one who already have a role in the
 * organization or below it.
 *
 * @throws CodedError `NOT_FOUND` for an unknown id, and for one of a stranger where people are asked first; `FORBIDDEN`
 * if the caller does not have the entitlement
 */
export async function giveRole(
  settings: Settings,
  tools: ActionTools,
  request: RoleRequest & InOrganization,
): Promise<void> {
  const { organizationId, resource, role } = request;
  await tools.transaction(async (inside) => {
    const { stores, caller } = inside;
    const user = await lockUserAs(inside, request.userId as UserId);
    const organization = { type: settings.type, id: organizationId };
    await lockOrganizationAs(inside, organization, request);
    if (!user) throw noSuchUser();
    const isAsked = role !== null && settings.accept === 'always';
    if (isAsked && !(await isWithin(stores, user.id, organization))) throw noSuchUser();
    const operator = { by: caller.userId, tenantId: organizationId };
    await replaceRole(settings, stores, { userId: user.id, resource, role }, operator);
    if (role !== null) return;
    const isToResource = and(eq('resourceType', resource.type), eq('resourceId', resource.id));
    await stores.entities.deleteAll(invitationTable, and(isToUser(user), isToResource));
  });
}

/**
 * Ends the caller's own membership, with everything below.
 *
 * @throws CodedError `CONFLICT` if they are the last holder of the owner role
 */
export async function leave(settings: Settings, tools: ActionTools, organization: Resource): Promise<void> {
  await untilDone(tools, async (inside) => {
    const { stores, caller } = inside;
    if (caller.userId === null) throw unauthenticated();
    const user = await lockUserAs(inside, caller.userId as UserId);
    const assignments = await lockOrganization(stores, organization);
    if (!user || !hasRole(assignments, { userId: user.id })) throw new CodedError('NOT_FOUND', 'You are not a member.');
    // Groups do not count: a user who leaves the organization leaves its groups.
    const holders = assignments.filter(({ role, userId }) => role === settings.ownerRole && userId !== undefined);
    if (holders.every(({ userId }) => userId === user.id) && holders.length > 0) throw lastHolder(settings.ownerRole);
    const operator = { by: user.id, tenantId: organization.id };
    return removeMember(settings, stores, { user, organization, operator });
  });
}

/**
 * Hands the owner role over to another member. The caller keeps the highest assignable role below it, if there is one.
 *
 * @throws CodedError `FORBIDDEN` if the caller does not have it; `NOT_FOUND` if the other is no member
 */
export async function transfer(
  settings: Settings,
  tools: ActionTools,
  organization: Resource,
  { userId }: { readonly userId: string },
): Promise<void> {
  const { roles, assignable, ownerRole } = settings;
  await tools.transaction(async (inside) => {
    const { stores, caller } = inside;
    const user = await lockUserAs(inside, userId as UserId);
    const assignments = await lockOrganization(stores, organization);
    if (caller.userId === null || !hasRole(assignments, { userId: caller.userId, role: ownerRole }))
      throw ownerRoleRequired(ownerRole);
    if (!user || !hasRole(assignments, { userId: user.id })) throw noSuchUser();
    if (user.id === caller.userId) return;
    const operator = { by: caller.userId, tenantId: organization.id };
    await replaceRole(settings, stores, { userId: user.id, resource: organization, role: ownerRole }, operator);
    const below = roles.slice(roles.indexOf(ownerRole) + 1).find((role) => assignable.includes(role));
    if (below === undefined) return;
    const kept = { userId: caller.userId as UserId, resource: organization, role: below };
    await replaceRole(settings, stores, kept, operator);
  });
}

/** Says whether a user has a role in an organization or below it. */
async function isWithin({ roleAssignments }: TransactionStores, userId: UserId, top: Resource): Promise<boolean> {
  return (await roleAssignments.listWithin(top, { userId, limit: 1 })).length > 0;
}

/** Says whether a user has a role; without one, whether they have any. */
function hasRole(
  assignments: readonly RoleAssignment[],
  { userId, role }: { readonly userId: string; readonly role?: string },
): boolean {
  return assignments.some((each) => each.userId === userId && (role === undefined || each.role === role));
}

function noSuchUser(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such user.');
}
