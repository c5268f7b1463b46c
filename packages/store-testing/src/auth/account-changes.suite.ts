import { expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every user store sets passwords and records that an address was proven. */
export function describeAccountChanges(it: StoreTest): void {
  describeSetPassword(it);
  describeProof(it);
}

function describeSetPassword(it: StoreTest): void {
  it('sets or removes any password, and changes nothing else', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: null });
    for (const passwordHash of ['first', 'second', 'second', null, null, 'third']) {
      clock.advance(1);
      const changed = await stores.users.setPassword(user.id, passwordHash);
      expect(changed).toEqual({ ...user, passwordHash, updatedAt: clock.now() });
      expect(await stores.users.findById(user.id)).toEqual(changed);
      expect(await stores.users.findByLoginEmail(user.email)).toEqual(changed);
    }
  });

  it('stores any text as a password hash', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    for (const passwordHash of awkwardTexts) {
      expect(await stores.users.setPassword(id, passwordHash)).toMatchObject({ passwordHash });
      expect(await stores.users.findById(id)).toMatchObject({ passwordHash });
    }
  });

  it('starts no session with a password that has been replaced or removed', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'old' });
    const start = async (expectedPasswordHash: string | null): Promise<unknown> =>
      stores.sessions.create(records.session(id), { maxActive: 50, expectedPasswordHash });
    await stores.users.setPassword(id, 'new');
    expect(await start('old')).toBeNull();
    expect(await start('new')).not.toBeNull();
    await stores.users.setPassword(id, null);
    expect(await start('new')).toBeNull();
    expect(await start(null)).not.toBeNull();
  });

  it('sets no password for a missing user, and leaves others alone', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setPassword(records.userId(), 'new')).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeProof(it: StoreTest): void {
  it('records an address as proven now, and changes nothing else', async ({ stores, records, clock }) => {
    const unproven = { emailVerified: false, emailProvenAt: null };
    for (const loginEmail of ['own@example.com', null]) {
      const user = await signUp(stores, records, { ...unproven, email: 'own@example.com', loginEmail });
      for (let count = 0; count < 2; count += 1) {
        clock.advance(1);
        const now = clock.now();
        const proven = await stores.users.proveEmail(user.id, 'own@example.com');
        expect(proven).toEqual({ ...user, emailVerified: true, emailProvenAt: now, updatedAt: now });
        expect(await stores.users.findById(user.id)).toEqual(proven);
      }
    }
  });

  it('records an address as verified, and changes nothing else', async ({ stores, records, clock }) => {
    for (const emailProvenAt of [null, clock.now()]) {
      const unverified = { email: 'own@example.com', emailVerified: false, emailProvenAt };
      const user = await signUp(stores, records, { ...unverified, loginEmail: null });
      clock.advance(1);
      const verified = await stores.users.verifyEmail(user.id, 'own@example.com');
      expect(verified).toEqual({ ...user, emailVerified: true, updatedAt: clock.now() });
      expect(await stores.users.findById(user.id)).toEqual(verified);
    }
  });

  it("verifies and proves nothing by an address that is not, or is no longer, the user's", async ({
    stores,
    records,
    clock,
  }) => {
    const unproven = { emailVerified: false, emailProvenAt: null };
    const other = await signUp(stores, records, { ...unproven, email: 'other@example.com' });
    const user = await signUp(stores, records, { ...unproven, email: 'own@example.com' });
    clock.advance(1);
    for (const email of ['other@example.com', 'OWN@example.com', 'own@example.com ', '']) {
      expect(await stores.users.proveEmail(user.id, email)).toBeNull();
      expect(await stores.users.verifyEmail(user.id, email)).toBeNull();
    }
    expect(await stores.users.proveEmail(records.userId(), 'own@example.com')).toBeNull();
    expect(await stores.users.verifyEmail(records.userId(), 'own@example.com')).toBeNull();
    for (const each of [user, other]) expect(await stores.users.findById(each.id)).toEqual(each);
  });

  it('compares addresses by code points alone', async ({ stores, records }) => {
    for (const email of awkwardTexts) {
      const { id } = await signUp(stores, records, { email, emailVerified: false, loginEmail: null });
      expect(await stores.users.proveEmail(id, `${email}.`)).toBeNull();
      expect(await stores.users.proveEmail(id, email)).toMatchObject({ email, emailVerified: true });
    }
  });

  it('rolls back passwords and proofs with their transaction', async ({ stores, records }) => {
    const user = await signUp(stores, records, { emailVerified: false, emailProvenAt: null });
    const failing = stores.transaction(async (inside) => {
      expect(await inside.users.setPassword(user.id, 'new')).toMatchObject({ passwordHash: 'new' });
      expect(await inside.users.verifyEmail(user.id, user.email)).toMatchObject({ passwordHash: 'new' });
      expect(await inside.users.proveEmail(user.id, user.email)).toMatchObject({ passwordHash: 'new' });
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.users.findById(user.id)).toEqual(user);
  });
}
