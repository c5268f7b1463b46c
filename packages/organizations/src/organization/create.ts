import type { AuthHooks } from '@x/auth';
import { unauthenticated } from '@x/errors';
import type { Clock, Resource, TransactionStores, UserId } from '@x/store';
import type { Settings } from '../settings.ts';
import { makeSlug } from '../model.ts';

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
    await stores.roleAssignments.assign({ userId, resource: organization, role: settings.sole, grantedBy: userId });
    await startPlan(settings, stores, organization);
    await stores.users.setTenant(userId, organization.id);
  };
}

/**
 * Locks the account of whoever is about to own a new organization: if it was deleted meanwhile, nobody would own it.
 *
 * @throws CodedError `UNAUTHENTICATED` if the account is gone, although a JWT of it is still valid
 */
export async function lockCreator({ users }: TransactionStores, userId: string | null): Promise<void> {
  if (userId === null || (await users.lock(userId as UserId))) return;
  throw unauthenticated();
}

/** Puts a new organization on the default plan. */
export async function startPlan(
  { definition }: Settings,
  { subscriptions }: TransactionStores,
  { id }: Resource,
): Promise<void> {
  const { defaultPlan = '', plans = {} } = definition;
  const plan = plans[defaultPlan];
  if (plan && 'group' in plan) await subscriptions.assign(id, defaultPlan, plan.group);
}
