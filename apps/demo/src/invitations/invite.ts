import type { ActionTools } from '@x/entity';
import { CodedError } from '@x/errors';
import type { Resource, TransactionStores, UserRecord } from '@x/store';
import { raiseRole } from '../access/replace-role.ts';
import { assertRoleChange } from '../organizations/assert-role-change.ts';
import { lockOrganizationAs } from '../organizations/lock-organization.ts';
import { keepInvitation, lockAddress } from './invitations.ts';

/** A caller's invitation. */
export interface InvitationRequest {
  readonly organizationId: string;
  /** The organization, or one of its projects. */
  readonly resource: Resource;
  /** The entitlement that permits it, on that resource. */
  readonly entitlement: string;
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
export async function invite(tools: ActionTools, request: InvitationRequest): Promise<void> {
  await countInvitation(tools, request.organizationId);
  await tools.transaction((inside) => inviteInside(inside, request));
}

async function inviteInside(inside: ActionTools, request: InvitationRequest): Promise<void> {
  const { stores, caller, now } = inside;
  const { organizationId, resource, email, role } = request;
  await lockAddress(stores, email);
  const account = await holdProven(stores, email);
  const held = await lockOrganizationAs(inside, organizationId, request);
  // An invited owner is not an owner yet, as far as others may know.
  if (resource.type === 'organization') assertRoleChange({ held, callerId: caller.userId, userId: '', role });
  const operator = { by: caller.userId, tenantId: organizationId };
  if (account) await raiseRole(stores, { userId: account.id, resource, role }, operator);
  else await keepInvitation(stores, { organizationId, resource, email, role, invitedBy: caller.userId }, now);
}

/**
 * Finds the user who has proven the address and signs in with it, and locks them. A user who is about to prove it waits
 * for their turn.
 */
async function holdProven({ users }: TransactionStores, email: string): Promise<UserRecord | null> {
  const found = await users.findByLoginEmail(email);
  if (!found || found.emailProvenAt === null) return null;
  const account = await users.hold(found.id);
  return account?.loginEmail === email ? account : null;
}

/** Mails that a stranger receives: an organization may send 20 an hour. */
const perHour = 20;

const hourMs = 3_600_000;

async function countInvitation({ stores, now }: ActionTools, organizationId: string): Promise<void> {
  const { allowed, resetsAt } = await stores.rateLimits.check(`invitation:${organizationId}`, perHour, hourMs);
  if (allowed) return;
  const waitMs = resetsAt.getTime() - now.getTime();
  throw new CodedError('RATE_LIMITED', 'There were too many invitations.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(waitMs / 1000)), hourMs / 1000),
  });
}
