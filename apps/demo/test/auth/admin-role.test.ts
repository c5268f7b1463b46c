import type { User } from '@x/auth';
import type { NewUser, Stores, UserId } from '@x/store';
import { createMemoryStores } from '@x/store-memory';
import { expect, it } from 'vitest';
import { grantAdminOnProof } from '../../src/access/admin-role.ts';

const email = 'boss@example.com';

async function addUser(stores: Stores, loginEmail: string | null): Promise<UserId> {
  const id = crypto.randomUUID() as UserId;
  const rest = { emailVerified: false, emailProvenAt: null, passwordHash: null, tenantId: null, fields: {} };
  const user: NewUser = { id, email, loginEmail, role: 'user', ...rest };
  await stores.users.create(user);
  return id;
}

/** Has an account prove the address; returns its role then. */
async function roleAfterProof(stores: Stores, id: UserId): Promise<string | undefined> {
  const user = { ...(await stores.users.findById(id)) } as unknown as User;
  await stores.transaction(async (inside) => grantAdminOnProof(email)(user, { stores: inside }));
  return (await stores.users.findById(id))?.role;
}

it('does not make a provider account admin that only shows the address while another account signs in with it', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  const [owner, stranger] = [await addUser(stores, email), await addUser(stores, null)];
  expect(await roleAfterProof(stores, stranger)).toBe('user');
  expect(await roleAfterProof(stores, owner)).toBe('admin');
});

it('makes a provider account admin by the proof if nobody else has the address', async () => {
  const stores = createMemoryStores({ clock: { now: () => new Date() } });
  expect(await roleAfterProof(stores, await addUser(stores, null))).toBe('admin');
});
