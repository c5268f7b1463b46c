import type { AuthHooks } from '@x/auth';
import type { Clock, Stores, TransactionStores, UserId, UserRecord } from '@x/store';
import { all, eq, type Where } from '@x/store/where';

/** The role of accounts that run the demo. */
export const adminRole = 'admin';

/** Declared in `entities/admin-grants.ts`. */
const table = 'admin-grants';

/**
 * Builds the hook that makes the user who proves an address an admin, until they prove another one. An account that
 * only shows the address, because a provider named it, does not become one while another account signs in with it.
 */
export function updateAdminOnProof(adminEmail: string | undefined, clock: Clock): AuthHooks['onEmailProven'] {
  return async ({ id, email, role }, { stores }) => {
    if (role === adminRole) {
      for (const grant of await listGrants(stores, eq('userId', id))) await endUnlessNamed(stores, grant, adminEmail);
    } else if (email === adminEmail) {
      const account = await stores.users.findByLoginEmail(email);
      if (account === null || account.id === id) await grantAdmin(stores, { id: id as UserId, role }, clock.now());
    }
  };
}

/**
 * Makes an account an admin that had proven the address before it was configured, and ends the role of whom an earlier
 * value of the variable gave it. A role that an operator gave stays.
 */
export async function updateAdmins(stores: Stores, adminEmail: string | undefined): Promise<void> {
  for (const grant of await listGrants(stores, all)) {
    await stores.transaction((inside) => endUnlessNamed(inside, grant, adminEmail));
  }
  const found = adminEmail === undefined ? null : await stores.users.findByLoginEmail(adminEmail);
  if (found === null) return;
  await stores.transaction(async (inside) => {
    const user = await inside.users.lock(found.id);
    if (!isNamed(user, adminEmail) || user.role === adminRole) return;
    await grantAdmin(inside, user, stores.clock.now());
  });
}

/** An admin by the variable. */
interface AdminGrant {
  readonly userId: UserId;
  readonly previousRole: string;
  readonly createdAt: Date;
}

/** There is one, or a few if the variable has changed since the last start. */
async function listGrants({ entities }: TransactionStores, where: Where): Promise<readonly AdminGrant[]> {
  const order = [{ column: 'id', direction: 'asc' }] as const;
  const { records } = await entities.list(table, { where, order, after: null, limit: 100 });
  return records.map(({ row }) => row as unknown as AdminGrant);
}

/** Runs in the caller's transaction. */
async function endUnlessNamed(
  stores: TransactionStores,
  grant: AdminGrant,
  adminEmail: string | undefined,
): Promise<void> {
  const user = await stores.users.lock(grant.userId);
  const isOperators = await wasChangedSince(stores, grant);
  if (isNamed(user, adminEmail) && !isOperators) return;
  const isEnded = (await stores.entities.deleteAll(table, eq('userId', grant.userId))) > 0;
  if (isEnded && user?.role === adminRole && !isOperators) await setRole(stores, user.id, grant.previousRole);
}

/** Says whether an operator has set the role after the variable did. */
async function wasChangedSince({ events }: TransactionStores, { userId, createdAt }: AdminGrant): Promise<boolean> {
  for (let after: string | null = null; ;) {
    const { items, nextCursor } = await events.listByUser(userId, { limit: 100, after });
    const since = items.filter(({ at }) => at >= createdAt);
    if (since.some(({ type, detail }) => type === 'user.role_changed' && detail['reason'] !== reason)) return true;
    if (nextCursor === null || since.length < items.length) return false;
    after = nextCursor;
  }
}

function isNamed(user: UserRecord | null, adminEmail: string | undefined): user is UserRecord {
  return user !== null && user.emailProvenAt !== null && user.email === adminEmail;
}

async function grantAdmin(
  stores: TransactionStores,
  { id, role }: Pick<UserRecord, 'id' | 'role'>,
  now: Date,
): Promise<void> {
  await stores.entities.deleteAll(table, eq('userId', id));
  const grant = { id: crypto.randomUUID(), userId: id, previousRole: role };
  await stores.entities.create(table, { ...grant, createdAt: now, updatedAt: now });
  await setRole(stores, id, adminRole);
}

/** Why a role changes by the variable, for the log. */
const reason = 'admin_email';

/** JWTs that name the old role are refused from now on. */
async function setRole(stores: TransactionStores, id: UserId, role: string): Promise<void> {
  await stores.users.setRole(id, role, { reason });
  await stores.sessions.bumpTokenVersion(id);
}
