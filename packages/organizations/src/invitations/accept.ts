import { type AccessContext, anonymous } from '@x/access';
import type { AuthHooks } from '@x/auth';
import type { Entities } from '@x/entity';
import type { Clock, UserId } from '@x/store';
import { and, eq, gt } from '@x/store/where';
import { lockGrants, lockOrganization } from '../role/locks.ts';
import type { Settings } from '../settings.ts';
import { lockAddress } from './invite.ts';
import { redeem } from './redeem.ts';
import { pageInvitations, removeInvitation, type StoredInvitation } from './stored-invitation.ts';

/**
 * Builds the hook that gives a user who proves an address the roles that the address was invited to, where invitations
 * are accepted at once. Otherwise they wait to be accepted.
 */
export function acceptInvitations(
  settings: Settings,
  { clock, entities }: { readonly clock: Clock; readonly entities: () => Pick<Entities, 'access'> },
): AuthHooks['onEmailProven'] {
  return async ({ id, email }, { stores }) => {
    if (settings.accept !== 'at-once') return;
    const account = await stores.users.findByLoginEmail(email);
    // An account may show an address, and have mails sent to it, that another account signs in with.
    if (account !== null && account.id !== id) return;
    await lockGrants(stores, id);
    await lockAddress(stores, email);
    const now = clock.now();
    const { access } = entities();
    const accessOf = (userId: string): AccessContext => access.contextFor({ ...anonymous, userId }, stores);
    // Any number may wait. Those beyond a page can be accepted by choice.
    const { items } = await pageInvitations(stores, and(eq('email', email), gt('expiresAt', now.getTime())));
    // Organizations are locked in one order.
    for (const invitation of items.toSorted(byOrganization)) {
      await lockOrganization(stores, { type: settings.type, id: invitation.organizationId });
      const isThere = await removeInvitation(stores, invitation.id);
      if (isThere) await redeem(settings, { stores, now, accessOf }, invitation, id as UserId);
    }
  };
}

function byOrganization(a: StoredInvitation, b: StoredInvitation): number {
  if (a.organizationId === b.organizationId) return 0;
  return a.organizationId < b.organizationId ? -1 : 1;
}
