import { createAccessContext } from '@x/access';
import { CodedError } from '@x/errors';
import type { Resource, TransactionStores, UserId } from '@x/store';
import { recordInvitation } from '../history.ts';
import { createOrgResolver } from '../org-resolver.ts';
import { raiseRole } from '../role/roles.ts';
import type { Settings } from '../settings.ts';

/** What an invitation or a link offers. */
export interface Offer {
  readonly organizationId: string;
  /** The organization, or something below it. */
  readonly resource: Resource;
  readonly role: string;
  /** What whoever made the offer has to be allowed to on the resource, also when it is accepted. */
  readonly entitlement: string;
  /** Who made the offer; null for the app itself. */
  readonly grantedBy: string | null;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** Who accepts an offer, and when. */
interface Acceptance {
  readonly userId: UserId;
  readonly now: Date;
}

/**
 * Gives a user the role that an offer is for, unless they have it or a higher one. Returns false, and gives nothing, once
 * the offer has expired, or if whoever made it may not make it any more. Lock the organization before.
 */
export async function redeem(
  settings: Settings,
  stores: TransactionStores,
  offer: Offer,
  { userId, now }: Acceptance,
): Promise<boolean> {
  if (!(await isValid(settings, stores, offer, now))) return false;
  const { organizationId, resource, role, grantedBy } = offer;
  await raiseRole(settings, stores, { userId, resource, role }, { by: grantedBy, tenantId: organizationId });
  const detail = { role, resource: { ...resource }, by: userId };
  await recordInvitation(stores, { type: 'invitation.accepted', organizationId, userId, detail });
  return true;
}

/** Says whether an offer has not expired, and may still be made by whoever made it. */
export async function isValid(
  settings: Settings,
  stores: TransactionStores,
  offer: Offer,
  now: Date,
): Promise<boolean> {
  const { organizationId, resource, expiresAt } = offer;
  if (expiresAt !== null && expiresAt <= now) return false;
  const organization = { type: settings.type, id: organizationId };
  return (await isStillWithin(stores, resource, organization)) && mayStillGive(settings, stores, offer, now);
}

/** The error for an offer that gives nothing, whatever the reason. */
export function noSuchInvitation(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such invitation, or it is not valid any more.');
}

/** What was deleted, or moved to another organization, is in this one no more. */
async function isStillWithin(
  { hierarchy }: TransactionStores,
  resource: Resource,
  organization: Resource,
): Promise<boolean> {
  return resource.type === organization.type || hierarchy.hasPath(organization, resource);
}

/**
 * Says whether whoever made an offer may make it now. What the app itself offered always holds; an account that is being
 * reclaimed or deleted gives nothing, although its roles go only in batches.
 */
async function mayStillGive(
  settings: Settings,
  stores: TransactionStores,
  { grantedBy, resource, entitlement }: Offer,
  now: Date,
): Promise<boolean> {
  if (grantedBy === null) return true;
  const grantor = await stores.users.findById(grantedBy as UserId);
  if (grantor !== null && grantor.unfinished !== null) return false;
  const access = createAccessContext({
    userId: grantedBy,
    session: {},
    definition: settings.definition,
    roleStore: stores.roleAssignments,
    closureStore: stores.hierarchy,
    flagStore: stores.flags,
    subscriptionStore: stores.subscriptions,
    walletStore: stores.wallets,
    orgResolver: createOrgResolver(settings),
    now: () => now,
  });
  // Unlike `can`, it fails where a store does: that is no reason to take an invitation away.
  return access.records.isAllowed(entitlement, resource);
}
