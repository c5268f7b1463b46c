import type { AuthHooks, TransactionContext } from '@x/auth';
import type { Entities, Entity } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import type { Resource, TransactionStores, UserId } from '@x/store';
import { eq } from '@x/store/where';
import { removeInvitations } from '../invitations/stored-invitation.ts';
import { lockGrants, lockOrganization, toUserIds } from '../role/locks.ts';
import type { Settings } from '../settings.ts';
import { storeDepartures } from './departures.ts';

/** The entity of organizations, among those of the app. */
export interface OrganizationRecords {
  readonly entity: Entity;
  readonly entities: () => Pick<Entities, 'within'>;
}

/**
 * Builds the hook that fails with `CONFLICT` if a user whose account is about to be deleted has the owner role of an
 * organization that has other members. A user to whom they are giving a role is one, or gets none: the lock is held
 * until the account's sessions have ended.
 */
export function keepShared({ type, ownerRole }: Settings): AuthHooks['beforeUserDelete'] {
  return async ({ id }, { stores }) => {
    const userId = id as UserId;
    await lockGrants(stores, userId);
    const { roleAssignments } = stores;
    let after = '';
    for (;;) {
      const own = await roleAssignments.listOfType(userId, { type, role: ownerRole, after, limit: lookedAtOnce });
      const resources = own.map(({ resource }) => resource);
      const others = await roleAssignments.listOthers(userId, { resources, isBelow: false, limit: 1 });
      if (others.length > 0) throw hasMembers();
      const last = resources.at(-1);
      if (last === undefined || own.length < lookedAtOnce) return;
      after = last.id;
    }
  };
}

const lookedAtOnce = 500;

/**
 * Builds the hook that deletes the organizations of a user whose account is being deleted. It began when there was no
 * other member; users who have joined since lose them, as if the owner had deleted them before.
 */
export function deleteOwn(settings: Settings, records: OrganizationRecords): AuthHooks['onUserDeleting'] {
  return async ({ id }, { batch }) => {
    while (await batch((context) => deleteSome(settings, records, context, id as UserId)));
    while (await batch(({ stores }) => removeInvitations(stores, eq('grantedBy', id))));
  };
}

const deletedAtOnce = 20;

/** @returns whether there may be more */
async function deleteSome(
  { type, ownerRole }: Settings,
  records: OrganizationRecords,
  context: TransactionContext,
  userId: UserId,
): Promise<boolean> {
  const { roleAssignments } = context.stores;
  const own = await roleAssignments.listOfType(userId, { type, role: ownerRole, limit: deletedAtOnce });
  for (const assignment of own) {
    const isDeleted = await deleteOrganization(records, context, { organizationId: assignment.resource.id, userId });
    // A role may be left of one whose record is gone.
    const { id: tenantId } = assignment.resource;
    if (!isDeleted) await roleAssignments.revoke(assignment, { by: userId, tenantId });
  }
  return own.length === deletedAtOnce;
}

/**
 * Deletes an organization with everything in it, by the same operation as the route of the entity, and says whether it
 * was there.
 */
async function deleteOrganization(
  { entity, entities }: OrganizationRecords,
  context: TransactionContext,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: UserId },
): Promise<boolean> {
  const caller = { userId, tenantId: organizationId };
  const deletion = await entities().within(context, caller).delete(entity, organizationId);
  if (!deletion.ok && deletion.error.code === 'NOT_FOUND') return false;
  unwrap(deletion);
  return true;
}

function hasMembers(): CodedError {
  return new CodedError('CONFLICT', 'You own an organization that others belong to.');
}

/**
 * Ends the plan of an organization that is about to be deleted, and stores that its members have to leave it. Records
 * and roles are deleted along with its own record. Runs in the transaction that deletes it.
 */
export async function dissolveOrganization(
  stores: TransactionStores,
  { organization, by }: { readonly organization: Resource; readonly by: string | null },
  now: Date,
): Promise<void> {
  const userIds = toUserIds(await lockOrganization(stores, organization));
  await storeDepartures(stores, { organization, userIds, by }, now);
  await stores.subscriptions.remove(organization.id, { by });
}
