import type { AuthHooks } from '@x/auth';
import type { UserId } from '@x/store';

/** Gives whoever signs up a tenant of their own. */
export const startWorkspace: AuthHooks['onUserCreated'] = async ({ user }, { stores }) => {
  await stores.users.setTenant(user.id as UserId, crypto.randomUUID());
};
