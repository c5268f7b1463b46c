import type { AuthHooks } from '@x/auth';
import { CodedError, unauthenticated } from '@x/errors';
import type { Clock, Resource, TransactionStores, UserId } from '@x/store';
import { lockUser } from '../role/locks.ts';
import type { Settings } from '../settings.ts';
import { makeSlug } from '../model.ts';
import { groupOf } from '../plan/plan.ts';

/** Builds the hook that creates an organization of their own for everybody who signs up, if the app wants one. */
export function startWorkspace(settings: Settings, clock: Clock): AuthHooks['onUserCreated'] {
  return async ({ user }, { stores }) => {
    if (!settings.personal) return;
    const { name } = settings.personal({ user });
    const now = clock.now();
    const organization = { type: settings.type, id: crypto.randomUUID() };
    const row = { id: organization.id, name, slug: makeSlug(name), createdBy: user.id, createdAt: now, updatedAt: now };
    await stores.entities.create('organizations', row);
    const userId = user.id as UserId;
    await foundOrganization(settings, stores, { organization, userId });
    await stores.users.setTenant(userId, organization.id, { isImplied: true });
  };
}

/** How many organizations a user may create in an hour. */
const perHour = 10;

const hourMs = 3_600_000;

/**
 * Makes sure that a user may create one more organization, and locks their account: if it was deleted meanwhile, the
 * new one would have no owner.
 *
 * @throws CodedError `FORBIDDEN` with the reason in `meta` if they own or have created too many; `UNAUTHENTICATED` if
 * the account is gone, although a JWT of it is still valid
 */
export async function admitCreator(
  { type, ownerRole, maxOwned }: Settings,
  stores: TransactionStores,
  userId: UserId,
): Promise<void> {
  if (!(await lockUser(stores, userId))) throw unauthenticated();
  const owned = await stores.roleAssignments.listOfType(userId, { type, role: ownerRole, limit: maxOwned });
  if (owned.length >= maxOwned) throw tooMany(`A user owns at most ${maxOwned} organizations.`, 'owned');
  const { allowed } = await stores.rateLimits.check(`organizations:${userId}`, perHour, hourMs);
  if (!allowed) throw tooMany(`A user creates at most ${perHour} organizations in an hour.`, 'created');
}

function tooMany(message: string, reason: 'owned' | 'created'): CodedError {
  return new CodedError('FORBIDDEN', message, { meta: { reason: `too_many_${reason}` } });
}

/** A new organization, and who created it; null for the app itself. */
interface Founding {
  readonly organization: Resource;
  readonly userId: UserId | null;
}

/** Gives the creator of an organization the owner role, and puts it on the default plan. */
export async function foundOrganization(
  settings: Settings,
  { roleAssignments, subscriptions }: TransactionStores,
  { organization, userId }: Founding,
): Promise<void> {
  const { definition, ownerRole } = settings;
  const tenantId = organization.id;
  const cause = { by: userId, tenantId };
  if (userId !== null) await roleAssignments.assign({ userId, resource: organization, role: ownerRole }, cause);
  const { defaultPlan = '' } = definition;
  const group = groupOf(settings, defaultPlan);
  if (group !== undefined) await subscriptions.assign({ tenantId, group, planName: defaultPlan }, cause);
}
