import type { RoleAssignment, TransactionStores, UserRecord } from '@x/store';

/**
 * Moves a user who is held, and whatever sessions of theirs are in an organization, to another one that they belong to, or
 * to none. In the transaction that takes them out of it.
 */
export async function leaveTenant(
  stores: TransactionStores,
  { id: userId, tenantId }: UserRecord,
  organizationId: string,
): Promise<void> {
  const next = toNextTenant(await stores.roleAssignments.listByUser(userId), organizationId);
  if (tenantId === organizationId) await stores.users.setTenant(userId, next);
  await stores.sessions.leaveTenant(userId, { from: organizationId, to: next });
}

/** Prefers what the user owns: mostly the workspace that they started with. */
function toNextTenant(held: readonly RoleAssignment[], left: string): string | null {
  const others = held.filter(({ resource }) => resource.type === 'organization' && resource.id !== left);
  const owned = others.filter(({ role }) => role === 'owner');
  const [next] = (owned.length > 0 ? owned : others).map(({ resource }) => resource.id).toSorted();
  return next ?? null;
}
