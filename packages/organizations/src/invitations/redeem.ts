import type { AccessContext } from '@x/access';
import { CodedError } from '@x/errors';
import type { Resource, TransactionStores, UserId } from '@x/store';
import { recordInvitation } from '../history.ts';
import { raiseRole } from '../role/roles.ts';
import type { Settings } from '../settings.ts';

/** The offer of an invitation or a link. */
export interface Offer {
  readonly organizationId: string;
  /** The organization, or something below it. */
  readonly resource: Resource;
  readonly role: string;
  /** The entitlement that the maker of the offer needs on the resource, also when it is accepted. */
  readonly entitlement: string;
  /** The user who made the offer; null for the app itself. */
  readonly grantedBy: string | null;
  /** Null for never. */
  readonly expiresAt: Date | null;
}

/** The tools that decide whether an offer holds: inside a transaction, as the tools of an action are. */
export interface OfferTools {
  readonly stores: TransactionStores;
  readonly now: Date;
  /** Returns what a user may do, with the stores of the transaction. */
  readonly accessOf: (userId: string) => AccessContext;
}

/**
 * Gives a user the role that an offer is for, unless they have it or a higher one. Returns false, and gives nothing,
 * once the offer has expired, or if its maker may not make it any more. Lock the organization before.
 */
export async function redeem(settings: Settings, tools: OfferTools, offer: Offer, userId: UserId): Promise<boolean> {
  if (!(await isValid(settings, tools, offer))) return false;
  const { stores } = tools;
  const { organizationId, resource, role, grantedBy } = offer;
  await raiseRole(settings, stores, { userId, resource, role }, { by: grantedBy, tenantId: organizationId });
  const detail = { role, resource: { ...resource }, by: userId };
  await recordInvitation(stores, { type: 'invitation.accepted', organizationId, userId, detail });
  return true;
}

/** Says whether an offer has not expired, and its maker may still make it. */
export async function isValid({ type }: Settings, tools: OfferTools, offer: Offer): Promise<boolean> {
  const { organizationId, resource, expiresAt } = offer;
  if (expiresAt !== null && expiresAt <= tools.now) return false;
  const organization = { type, id: organizationId };
  return (await isStillWithin(tools.stores, resource, organization)) && mayStillGive(tools, offer);
}

/** The error for an offer that gives nothing, for any reason. */
export function noSuchInvitation(): CodedError {
  return new CodedError('NOT_FOUND', 'There is no such invitation, or it is not valid any more.');
}

/** A resource that was deleted, or moved to another organization, is not in this one any more. */
async function isStillWithin(
  { hierarchy }: TransactionStores,
  resource: Resource,
  organization: Resource,
): Promise<boolean> {
  return resource.type === organization.type || hierarchy.hasPath(organization, resource);
}

/**
 * Says whether the maker of an offer may make it now. An offer of the app itself always holds; an account that is being
 * reclaimed or deleted gives nothing, although its roles go only in batches.
 */
async function mayStillGive(
  { stores, accessOf }: OfferTools,
  { grantedBy, resource, entitlement }: Offer,
): Promise<boolean> {
  if (grantedBy === null) return true;
  const grantor = await stores.users.findById(grantedBy as UserId);
  if (grantor !== null && grantor.unfinished !== null) return false;
  // Unlike `can`, it fails where a store does: that is no reason to take an invitation away.
  return accessOf(grantedBy).records.isAllowed(entitlement, resource);
}
