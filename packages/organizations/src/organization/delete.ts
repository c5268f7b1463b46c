import type { AuthHooks, DeletionContext } from '@x/auth';
import type { Entities, Entity } from '@x/entity';
import { CodedError, unwrap } from '@x/errors';
import { type Resource, storeUnavailable, type TransactionStores, type UserId, type UserRecord } from '@x/store';
import { removeInvitations } from '../invitations/stored-invitation.ts';
import { lockOrganization, lockUsers, toUserIds } from '../role/locks.ts';
import { leaveTenant } from '../members/removal.ts';
import type { Settings } from '../settings.ts';

/** The entity of organizations, among those of the app. */
export interface OrganizationRecords {
  readonly entity: Entity;
  readonly entities: () => Pick<Entities, 'within'>;
}

/**
 * Builds the hook that deletes the organizations whose only member is the user whose account is about to be deleted.
 * It fails with `CONFLICT` if they alone have the sole role of one that has other members.
 */
export function deleteOwn(settings: Settings, records: OrganizationRecords): AuthHooks['beforeUserDelete'] {
  const { type, sole } = settings;
  return async ({ id }, context) => {
    const { stores } = context;
    const assignments = await stores.roleAssignments.listByUser(id as UserId);
    const own = assignments.filter(({ resource, role }) => resource.type === type && role === sole);
    for (const organizationId of own.map(({ resource }) => resource.id).toSorted()) {
      const organization = { type, id: organizationId };
      const members = await lockOrganization(stores, organization);
      if (members.some(({ userId }) => userId !== id)) throw hasMembers();
      await deleteOrganization(records, context, { organizationId, userId: id });
    }
    await removeInvitations(stores, { grantedBy: id, organizationIds: [] });
  };
}

/** Deletes an organization with everything in it, by the same operation as the route of the entity. */
async function deleteOrganization(
  { entity, entities }: OrganizationRecords,
  context: DeletionContext,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
): Promise<void> {
  const caller = { userId, tenantId: organizationId };
  const deletion = await entities().within(context, caller).delete(entity, organizationId);
  // A role may be left of one whose record is gone.
  if (!deletion.ok && deletion.error.code !== 'NOT_FOUND') unwrap(deletion);
}

function hasMembers(): CodedError {
  return new CodedError('CONFLICT', 'You own an organization that others belong to.');
}

/**
 * Removes everybody from an organization that is about to be deleted, and ends its plan. Records and roles are deleted
 * along with its own record. Runs in the transaction that deletes it.
 *
 * @throws CodedError `SERVICE_UNAVAILABLE` if people keep joining it
 */
export async function dissolveOrganization(
  settings: Settings,
  stores: TransactionStores,
  organization: Resource,
): Promise<void> {
  for (const user of await lockWithMembers(stores, organization)) {
    await leaveTenant(settings, stores, { user, organization, by: null });
    await stores.sessions.raiseVer(user.id);
  }
  await stores.subscriptions.remove(organization.id);
}

const maxAttempts = 10;

/**
 * Locks an organization's membership, and all of its members. Users are locked in one order, and before the
 * organization, as everywhere: if somebody has joined meanwhile, all locks are released and taken again.
 */
async function lockWithMembers(stores: TransactionStores, organization: Resource): Promise<readonly UserRecord[]> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const members = await tryLockWithMembers(stores, organization);
    if (members !== null) return members;
  }
  throw storeUnavailable();
}

/** Returns null, with all locks released, if somebody has joined who is not locked. */
async function tryLockWithMembers(
  stores: TransactionStores,
  organization: Resource,
): Promise<readonly UserRecord[] | null> {
  try {
    return await stores.transaction(async (inside) => {
      const seen = await inside.roleAssignments.listByResource(organization);
      const users = await lockUsers(inside, seen);
      const members = toUserIds(await lockOrganization(inside, organization));
      const locked = toUserIds(seen);
      if ([...members].some((userId) => !locked.has(userId))) throw new SomebodyJoined();
      return users.filter((user) => members.has(user.id));
    });
  } catch (error) {
    if (error instanceof SomebodyJoined) return null;
    throw error;
  }
}

/** Rolls back the surrounding step, and so releases its locks. */
class SomebodyJoined extends Error {
  override readonly name = 'SomebodyJoined';
}
