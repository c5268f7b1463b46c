import type { ActionTools } from '@x/entity';
import { CodedError, validationFailed } from '@x/errors';
import type { TransactionStores, UserRecord } from '@x/store';
import { type InOrganization, lockOrganizationAs, lockSignedIn, type Permission } from '../role/locks.ts';
import { raiseRole } from '../role/roles.ts';
import type { Sendable } from '../send-invitation.ts';
import type { Settings } from '../settings.ts';
import { recordInvitation } from '../history.ts';
import { keepInvitation } from './stored-invitation.ts';
import { createToken } from '../token.ts';

/** A person whom a caller invites, and the permission for it. */
export interface InvitationRequest extends Permission {
  /** In canonical form. */
  readonly email: string;
  readonly role: string;
}

/**
 * Lets an invitation wait to be accepted. If invitations are accepted at once, gives the role to the account that has
 * proven the address, or else waits for one that proves it. The caller is not told which.
 *
 * @throws CodedError `VALIDATION_FAILED` if invitations cannot give the role; `FORBIDDEN` if the caller may not give
 * it; `RATE_LIMITED`
 */
export async function invite(
  settings: Settings,
  tools: ActionTools,
  request: InvitationRequest & InOrganization,
): Promise<Sendable> {
  const isMembership = request.resource.type === settings.type;
  if (isMembership && !settings.offered.includes(request.role)) {
    throw validationFailed([
      { path: ['role'], code: 'custom', message: `must be one of ${settings.offered.join(', ')}` },
    ]);
  }
  await admitInvitation(tools, request.organizationId);
  const { token, tokenHash } = await createToken();
  const isWaiting = await tools.transaction((inside) => inviteInside(settings, inside, { ...request, tokenHash }));
  const { organizationId, resource, email, role } = request;
  const mail = { organizationId, resource, email, role, grantedBy: tools.caller.userId };
  if (!isWaiting) return { ...mail, token: null, expiresAt: null };
  return { ...mail, token, expiresAt: new Date(tools.now.getTime() + settings.ttlMs) };
}

/** Says whether the invitation waits. */
async function inviteInside(
  settings: Settings,
  inside: ActionTools,
  request: InvitationRequest & InOrganization & { readonly tokenHash: string },
): Promise<boolean> {
  const { stores, caller, now } = inside;
  const { organizationId, resource, entitlement, email, role, tokenHash } = request;
  const organization = { type: settings.type, id: organizationId };
  await lockSignedIn(inside);
  await lockAddress(stores, email);
  const account = settings.accept === 'at-once' ? await lockProven(stores, email) : null;
  await lockOrganizationAs(inside, organization, request);
  const operator = { by: caller.userId, tenantId: organizationId };
  const detail = { email, role, resource: { ...resource }, by: caller.userId };
  await recordInvitation(stores, { type: 'invitation.sent', organizationId, userId: null, detail });
  if (account) {
    await raiseRole(settings, stores, { userId: account.id, resource, role }, operator);
    return false;
  }
  const invitation = { organizationId, resource, email, role, entitlement, grantedBy: caller.userId, tokenHash };
  await keepInvitation(stores, invitation, { now, ttlMs: settings.ttlMs });
  return true;
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

/**
 * Counts an invitation, unless the organization has sent too many.
 *
 * @throws CodedError `RATE_LIMITED`
 */
export async function admitInvitation({ stores, now }: ActionTools, organizationId: string): Promise<void> {
  const { allowed, resetsAt } = await stores.rateLimits.check(`invitation:${organizationId}`, perHour, hourMs);
  if (allowed) return;
  const waitMs = resetsAt.getTime() - now.getTime();
  throw new CodedError('RATE_LIMITED', 'There were too many invitations.', {
    retryAfter: Math.min(Math.max(1, Math.ceil(waitMs / 1000)), hourMs / 1000),
  });
}
