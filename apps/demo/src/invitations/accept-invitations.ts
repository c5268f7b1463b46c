import type { AuthHooks } from '@x/auth';
import type { Clock, TransactionStores, UserId } from '@x/store';
import { raiseRole } from '../access/replace-role.ts';
import { lockOrganization } from '../organizations/lock-organization.ts';
import { listWaiting, removeInvitation, lockAddress, type WaitingInvitation } from './invitations.ts';

/** Builds the hook that gives a user who proves an address the roles that the address was invited to. */
export function makeAcceptInvitations(clock: Clock): AuthHooks['onEmailProven'] {
  return async ({ id, email }, { stores }) => {
    const holder = await stores.users.findByLoginEmail(email);
    // An account may show an address, and have mails sent to it, that another account signs in with.
    if (holder !== null && holder.id !== id) return;
    await lockAddress(stores, email);
    const waiting = await listWaiting(stores, email);
    // Organizations are locked in one order.
    for (const invitation of waiting.toSorted(byOrganization)) {
      await accept(stores, { invitation, userId: id as UserId, now: clock.now() });
    }
  };
}

interface Acceptance {
  readonly invitation: WaitingInvitation;
  readonly userId: UserId;
  readonly now: Date;
}

/** If an organization or a project was deleted meanwhile, its invitations were deleted with it. */
async function accept(stores: TransactionStores, { invitation, userId, now }: Acceptance): Promise<void> {
  const { organizationId, resource, role, invitedBy, expiresAt } = invitation;
  await lockOrganization(stores, organizationId);
  const isThere = await removeInvitation(stores, invitation);
  if (!isThere || expiresAt <= now) return;
  await raiseRole(stores, { userId, resource, role }, { by: invitedBy, tenantId: organizationId });
}

function byOrganization(a: WaitingInvitation, b: WaitingInvitation): number {
  if (a.organizationId === b.organizationId) return 0;
  return a.organizationId < b.organizationId ? -1 : 1;
}
