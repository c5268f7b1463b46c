import { createAccessContext } from '@x/access';
import type { AuthHooks } from '@x/auth';
import type { Clock, Resource, TransactionStores, UserId } from '@x/store';
import { eq } from '@x/store/where';
import { lockGrants, lockOrganization } from '../role/locks.ts';
import { raiseRole } from '../role/roles.ts';
import { createOrgResolver } from '../org-resolver.ts';
import type { Settings } from '../settings.ts';
import { lockAddress } from './invite.ts';
import { listInvitations, removeInvitation, type StoredInvitation } from './stored-invitation.ts';

/** Builds the hook that gives a user who proves an address the roles that the address was invited to. */
export function acceptInvitations(settings: Settings, clock: Clock): AuthHooks['onEmailProven'] {
  return async ({ id, email }, { stores }) => {
    const account = await stores.users.findByLoginEmail(email);
    // An account may show an address, and have mails sent to it, that another account signs in with.
    if (account !== null && account.id !== id) return;
    await lockGrants(stores, id);
    await lockAddress(stores, email);
    const waiting = await listInvitations(stores, eq('email', email));
    // Organizations are locked in one order.
    for (const invitation of waiting.toSorted(byOrganization)) {
      await accept(settings, stores, { invitation, userId: id as UserId, now: clock.now() });
    }
  };
}

interface Acceptance {
  readonly invitation: StoredInvitation;
  readonly userId: UserId;
  readonly now: Date;
}

/** An invitation gives nothing once it has expired, or if whoever sent it may not give the role any more. */
async function accept(
  settings: Settings,
  stores: TransactionStores,
  { invitation, userId, now }: Acceptance,
): Promise<void> {
  const { id, organizationId, resource, role, grantedBy, expiresAt } = invitation;
  const organization = { type: settings.type, id: organizationId };
  await lockOrganization(stores, organization);
  const isThere = await removeInvitation(stores, id);
  if (!isThere || expiresAt <= now || !(await isStillWithin(stores, resource, organization))) return;
  if (!(await mayStillGive(settings, stores, invitation, now))) return;
  await raiseRole(settings, stores, { userId, resource, role }, { by: grantedBy, tenantId: organizationId });
}

/** What was deleted, or moved to another organization, is in this one no more. */
async function isStillWithin(
  { hierarchy }: TransactionStores,
  resource: Resource,
  organization: Resource,
): Promise<boolean> {
  return resource.type === organization.type || hierarchy.hasPath(organization, resource);
}

/** Says whether whoever sent an invitation may send it now. What the app itself sent always holds. */
async function mayStillGive(
  settings: Settings,
  stores: TransactionStores,
  { grantedBy, resource, entitlement, role }: StoredInvitation,
  now: Date,
): Promise<boolean> {
  if (grantedBy === null) return true;
  if (resource.type === settings.type && role === settings.sole) {
    const roles = await stores.roleAssignments.listByResource(resource);
    if (!roles.some((each) => each.userId === grantedBy && each.role === role)) return false;
  }
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
  return access.can(entitlement, resource);
}

function byOrganization(a: StoredInvitation, b: StoredInvitation): number {
  if (a.organizationId === b.organizationId) return 0;
  return a.organizationId < b.organizationId ? -1 : 1;
}
