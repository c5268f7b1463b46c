import { expect } from 'vitest';
import { concurrently, times } from '../concurrently.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes create users and change one at once. */
export function describeUserRaces(it: StoreTest): void {
  it('creates exactly one of 200 users with the same login e-mail', async ({ stores, records, processes }) => {
    const users = await concurrently(processes, times(200), (each) =>
      each.users.create(records.user({ email: 'one@example.com' })),
    );
    const created = users.filter((user) => user !== null);
    expect(created).toHaveLength(1);
    expect(await stores.users.findByLoginEmail('one@example.com')).toEqual(created[0]);
  });

  it('accepts exactly one of 200 changes of a password, and keeps its hash', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'old' });
    const changes = await concurrently(processes, times(200), (each, index) =>
      each.users.changePassword(id, { expectedHash: 'old', nextHash: `new ${index}` }),
    );
    expect(changes.filter(Boolean)).toHaveLength(1);
    expect(await stores.users.findById(id)).toMatchObject({ passwordHash: `new ${changes.indexOf(true)}` });
  });

  it('keeps each of 40 fields that are added under the lock of the user', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records, { fields: {} });
    await concurrently(processes, times(40), (each, index) =>
      each.transaction(async (inside) => {
        const locked = await inside.users.lock(id);
        return inside.users.setFields(id, { ...locked?.fields, [`field${index}`]: index });
      }),
    );
    const fields = Object.fromEntries(times(40).map((_, index) => [`field${index}`, index]));
    expect(await stores.users.findById(id)).toMatchObject({ fields });
  });

  it('lets exactly one of 40 users claim an address', async ({ stores, records, processes }) => {
    const users = await concurrently(processes, times(40), (each) => signUp(each, records));
    const claims = await concurrently(processes, users, async (each, user) =>
      each.users.claimEmail(user.id, 'wanted@example.com'),
    );
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim === 'taken')).toHaveLength(39);
    const winner = users[claims.indexOf('claimed')];
    expect(await stores.users.findByLoginEmail('wanted@example.com')).toMatchObject({ id: winner?.id });
  });
}
