import type { AuthHooks } from '@x/auth';
import type { Clock, TransactionStores, UserId } from '@x/store';
import { organizationOf } from '../access/resource.ts';
import { makeSlug } from './slug.ts';

/** Builds the hook that creates a workspace for everybody who signs up: an organization of their own. */
export function makeStartWorkspace(clock: Clock): AuthHooks['onUserCreated'] {
  return async ({ user }, { stores }) => {
    const now = clock.now();
    const id = crypto.randomUUID();
    const name = `${user.email.slice(0, user.email.lastIndexOf('@'))}'s workspace`;
    const row = { id, name, slug: makeSlug(name), createdAt: now, updatedAt: now };
    await stores.entities.create('organizations', row);
    const userId = user.id as UserId;
    await stores.roleAssignments.assign({ userId, resource: organizationOf(id), role: 'owner' });
    await startPlan(stores, id);
    await stores.users.setTenant(userId, id);
  };
}

/** Puts a new organization on the initial plan. */
export async function startPlan({ subscriptions }: TransactionStores, organizationId: string): Promise<void> {
  await subscriptions.assign(organizationId, 'free', 'base');
}
