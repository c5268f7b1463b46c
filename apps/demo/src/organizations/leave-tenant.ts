import type { RoleAssignment, TransactionStores, UserRecord } from '@x/store';

/**
 * Moves a locked user, and those of their sessions that are in an organization, to another one that they belong to, or
 * to none. Call it in the transaction that removes them from it.
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

/** Prefers what the user owns: usually the workspace that they started with. */
function toNextTenant(held: readonly RoleAssignment[], left: string): string | null {
  const others = held.filter(({ resource }) => resource.type === 'organization' && resource.id !== left);
  const owned = others.filter(({ role }) => role === 'owner');
  const [next] = (owned.length > 0 ? owned : others).map(({ resource }) => resource.id).toSorted();
  return next ?? null;
}
