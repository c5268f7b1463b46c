import type { AuthHooks } from '@x/auth';
import { unauthenticated } from '@x/errors';
import type { Clock, TransactionStores, UserId } from '@x/store';
import { z } from 'zod';
import { organizationOf } from '../access/roles.ts';

/** Builds the hook that creates a workspace for everybody who signs up: an organization of their own. */
export function startWorkspace(clock: Clock): AuthHooks['onUserCreated'] {
  return async ({ user }, { stores }) => {
    const now = clock.now();
    const id = crypto.randomUUID();
    const name = `${user.email.slice(0, user.email.lastIndexOf('@'))}'s workspace`;
    const row = { id, name, slug: makeSlug(name), createdBy: user.id, createdAt: now, updatedAt: now };
    await stores.entities.create('organizations', row);
    const userId = user.id as UserId;
    await stores.roleAssignments.assign({ userId, resource: organizationOf(id), role: 'owner', grantedBy: userId });
    await startPlan(stores, id);
    await stores.users.setTenant(userId, id);
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

/** Puts a new organization on the initial plan. */
export async function startPlan({ subscriptions }: TransactionStores, organizationId: string): Promise<void> {
  await subscriptions.assign(organizationId, 'free', 'base');
}

/** A slug: lower-case words joined by hyphens. An empty one is replaced by a generated one. */
export const slug: z.ZodType<string, string> = z
  .string()
  .max(100)
  .regex(/^([a-z0-9]+(-[a-z0-9]+)*)?$/);

/** Generates a slug from a name that no other organization has. */
export function makeSlug(name: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/['’\p{Mark}]/gu, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const start = words.join('-').slice(0, 40).replace(/-$/, '');
  return [...(start === '' ? [] : [start]), crypto.randomUUID().slice(0, 8)].join('-');
}
