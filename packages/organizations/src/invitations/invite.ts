import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { TransactionStores, UserRecord } from '@x/store';
import { lockForCaller, lockOrganizationAs, type Permission } from '../role/locks.ts';
import { assertRoleChange, raiseRole } from '../role/roles.ts';
import type { Settings } from '../settings.ts';
import { keepInvitation } from './stored-invitation.ts';

/** Somebody whom a caller invites, and the permission for it. */
export interface InvitationRequest extends Permission {
  readonly organizationId: string;
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
}

/**
 * Gives a role to the account that has proven an address, or lets the invitation wait until somebody does. The caller
 * is not told which.
 *
 * @throws CodedError `RATE_LIMITED`; `FORBIDDEN` if the caller may not give the role
 */
export async function invite(settings: Settings, tools: ActionTools, request: InvitationRequest): Promise<void> {
  await countInvitation(tools, request.organizationId);
  await tools.transaction((inside) => inviteInside(settings, inside, request));
}

async function inviteInside(settings: Settings, inside: ActionTools, request: InvitationRequest): Promise<void> {
  const { stores, caller, now } = inside;
  const { organizationId, resource, entitlement, email, role } = request;
  const organization = { type: settings.type, id: organizationId };
  await lockForCaller(inside, null);
  await lockAddress(stores, email);
  const account = await lockProven(stores, email);
  const assignments = await lockOrganizationAs(inside, organization, request);
  // Whoever is invited to the sole role does not have it yet, as far as others may know.
  const isMembership = resource.type === settings.type;
  if (isMembership) assertRoleChange(settings, { assignments, callerId: caller.userId, userId: '', role });
  const operator = { by: caller.userId, tenantId: organizationId };
  if (account) await raiseRole(settings, stores, { userId: account.id, resource, role }, operator);
  else {
    const invitation = { organizationId, resource, email, role, entitlement, grantedBy: caller.userId };
    await keepInvitation(stores, invitation, { now, ttlMs: settings.ttlMs });
  }
}

/**
 * Finds the user who has proven the address and signs in with it, and locks them. A user who is about to prove it waits
 * for the lock.
 */
async function lockProven({ users }: TransactionStores, email: string): Promise<UserRecord | null> {
  const found = await users.findByLoginEmail(email);
  if (!found || found.emailProvenAt === null) return null;
  const account = await users.lock(found.id);
  return account?.loginEmail === email ? account : null;
}

/**
 * Locks the address while it is decided whether an invitation gives a role at once or waits. The proof of an address
 * takes the same lock, so that neither misses the other.
 */
export async function lockAddress(stores: TransactionStores, email: string): Promise<void> {
  await stores.lock(`address:${email}`);
}

/** Mails that a stranger receives: an organization may send 20 an hour. */
const perHour = 20;

const hourMs = 3_600_000;

/** @throws CodedError `RATE_LIMITED` if the organization has sent too many invitations */
export async function countInvitation({ stores, now }: ActionTools, organizationId: string): Promise<void> {
  const { allowed, resetsAt } = await stores.rateLimits.check(`invitation:${organizationId}`, perHour, hourMs);
  if (allowed) return;
  const waitMs = resetsAt.getTime() - now.getTime();
  throw new CodedError('RATE_LIMITED', 'There were too many invitations.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(waitMs / 1000)), hourMs / 1000),
  });
}
