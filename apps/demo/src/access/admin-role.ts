import type { AuthHooks } from '@x/auth';
import type { Stores, TransactionStores, UserId } from '@x/store';

/** The role of accounts that run the demo. */
export const adminRole = 'admin';

/**
 * Builds the hook that makes the user who proves an address an admin. An account that only shows the address, because a
 * provider named it, does not become one while another account signs in with it.
 */
export function grantAdminOnProof(adminEmail: string | undefined): AuthHooks['onEmailProven'] {
  return async ({ id, email, role }, { stores }) => {
    if (email !== adminEmail || role === adminRole) return;
    const account = await stores.users.findByLoginEmail(email);
    if (account === null || account.id === id) await setAdmin(stores, id as UserId);
  };
}

/** Makes an account an admin that had proven the address before it was configured. */
export async function grantAdminIfProven(stores: Stores, adminEmail: string | undefined): Promise<void> {
  const user = adminEmail === undefined ? null : await stores.users.findByLoginEmail(adminEmail);
  if (user === null || user.emailProvenAt === null || user.role === adminRole) return;
  await stores.transaction((inside) => setAdmin(inside, user.id));
}

/** JWTs that name the old role are refused from now on. */
async function setAdmin(stores: TransactionStores, id: UserId): Promise<void> {
  await stores.users.setRole(id, adminRole);
  await stores.sessions.raiseVer(id);
}
