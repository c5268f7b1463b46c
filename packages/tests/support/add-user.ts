import type { Server } from '@x/server';
import type { NewUser, UserId, UserRecord } from '@x/store';

/** Stores a user as no sign-up would make one; by default without a password. */
export async function addUser(server: Server, change: Partial<NewUser> & { email: string }): Promise<UserRecord> {
  const user = await server.stores.users.create({
    id: crypto.randomUUID() as UserId,
    loginEmail: change.email,
    emailVerified: true,
    emailProvenAt: null,
    passwordHash: null,
    role: 'user',
    tenantId: null,
    fields: {},
    ...change,
  });
  if (user === null) throw new TypeError('There is a user with this address.');
  return user;
}
