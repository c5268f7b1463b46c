import type { TransactionStores } from '@x/store';
import { z } from 'zod';
import { organizationOf } from '../access/resource.ts';

/** The members of an organization, with each of their roles there. */
export interface Members {
  readonly members: readonly { readonly userId: string; readonly email: string; readonly role: string }[];
}

const member = z.strictObject({ userId: z.string(), email: z.string(), role: z.string() });

/** {@link Members} on the wire. */
export const members: z.ZodType<Members, Members> = z.strictObject({ members: z.array(member).readonly() });

/** Lists the members of an organization, sorted by address. */
export async function listMembers(stores: TransactionStores, organizationId: string): Promise<Members> {
  const held = await stores.roleAssignments.listByResource(organizationOf(organizationId));
  const users = new Map((await stores.users.findMany(held.map(({ userId }) => userId))).map((user) => [user.id, user]));
  const found = held.flatMap(({ userId, role }) => {
    const user = users.get(userId);
    return user ? [{ userId, email: user.email, role }] : [];
  });
  return { members: found.toSorted((a, b) => (a.email < b.email ? -1 : 1)) };
}
