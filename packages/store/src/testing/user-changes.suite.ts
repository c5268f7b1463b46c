import { describe, expect } from 'vitest';
import { describeAccountChanges } from './account-changes.suite.ts';
import { awkwardTexts } from './awkward-values.ts';
import { signIn, signUp, stored } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';
import { describeUserDeletion } from './user-deletion.suite.ts';

/** Holds a store to what changes a user: passwords, addresses that are claimed or proven, disabling, roles, deletion. */
export function describeUserChanges(it: StoreTest): void {
  describe('changes of users', () => {
    describePasswords(it);
    describeEmailClaims(it);
    describeDisabling(it);
    describeRoles(it);
    describeTenants(it);
    describeAccountChanges(it);
    describeUserDeletion(it);
  });
}

function describePasswords(it: StoreTest): void {
  it('a password is replaced where the expected one is current', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: 'old' });
    clock.advance(1);
    expect(await stores.users.changePassword(user.id, { expectedHash: 'old', nextHash: 'new' })).toBe(true);
    expect(await stores.users.findById(user.id)).toEqual({ ...user, passwordHash: 'new', updatedAt: clock.now() });
  });

  it('a password is not changed if another one was expected', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: 'old' });
    clock.advance(1);
    for (const expectedHash of ['OLD', 'old ', '', 'new']) {
      expect(await stores.users.changePassword(user.id, { expectedHash, nextHash: 'new' })).toBe(false);
    }
    expect(await stores.users.findById(user.id)).toEqual(user);
  });

  it('a first password is set where none is expected, once', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: null });
    expect(await stores.users.changePassword(id, { expectedHash: '', nextHash: 'guess' })).toBe(false);
    expect(await stores.users.changePassword(id, { expectedHash: 'null', nextHash: 'guess' })).toBe(false);
    expect(await stores.users.changePassword(id, { expectedHash: null, nextHash: 'first' })).toBe(true);
    expect(await stores.users.changePassword(id, { expectedHash: null, nextHash: 'second' })).toBe(false);
    expect(await stores.users.findById(id)).toMatchObject({ passwordHash: 'first' });
  });

  it('the password of a missing user is not changed', async ({ stores, records }) => {
    const other = await signUp(stores, records, { passwordHash: 'old' });
    const change = { expectedHash: 'old', nextHash: 'new' };
    expect(await stores.users.changePassword(records.userId(), change)).toBe(false);
    expect(await stores.users.changePassword(records.userId(), { ...change, expectedHash: null })).toBe(false);
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeEmailClaims(it: StoreTest): void {
  it('a claimed e-mail is the address and the login key, proven now', async ({ stores, records, clock }) => {
    const unproven = { email: 'old@example.com', emailVerified: false, emailProvenAt: null };
    const user = await signUp(stores, records, unproven);
    clock.advance(1);
    const now = clock.now();
    expect(await stores.users.claimEmail(user.id, 'new@example.com')).toBe('claimed');
    const address = { email: 'new@example.com', loginEmail: 'new@example.com' };
    const claimed = { ...user, ...address, emailVerified: true, emailProvenAt: now, updatedAt: now };
    expect(await stores.users.findById(user.id)).toEqual(claimed);
    expect(await stores.users.findByLoginEmail('new@example.com')).toEqual(claimed);
  });

  it('the address that was given up is free', async ({ stores, records }) => {
    const mover = await signUp(stores, records, { email: 'old@example.com' });
    await stores.users.claimEmail(mover.id, 'new@example.com');
    expect(await stores.users.findByLoginEmail('old@example.com')).toBeNull();
    const next = await signUp(stores, records, { email: 'old@example.com' });
    expect(await stores.users.findByLoginEmail('old@example.com')).toEqual(next);
  });

  it('a login e-mail that is taken spoils nothing of the transaction around', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    await signUp(stores, records, { email: 'held@example.com', loginEmail: 'held@example.com' });
    await stores.transaction(async (inside) => {
      await inside.users.setRole(user.id, 'before');
      expect(await inside.users.claimEmail(user.id, 'held@example.com')).toBe('taken');
      expect(await inside.users.claimEmail(user.id, 'free@example.com')).toBe('claimed');
    });
    expect(await stores.users.findById(user.id)).toMatchObject({ role: 'before', email: 'free@example.com' });
  });

  it("another user's login e-mail is taken and both users stay as they are", async ({ stores, records, clock }) => {
    const owner = await signUp(stores, records, { email: 'held@example.com' });
    const user = await signUp(stores, records);
    clock.advance(1);
    expect(await stores.users.claimEmail(user.id, 'held@example.com')).toBe('taken');
    expect(await stores.users.findById(user.id)).toEqual(user);
    expect(await stores.users.findByLoginEmail('held@example.com')).toEqual(owner);
  });

  it('a missing user claims nothing', async ({ stores, records }) => {
    expect(await stores.users.claimEmail(records.userId(), 'free@example.com')).toBe('missing');
    expect(await stores.users.findByLoginEmail('free@example.com')).toBeNull();
    expect((await signUp(stores, records, { email: 'free@example.com' })).loginEmail).toBe('free@example.com');
  });

  it('a user may prove the address that it has', async ({ stores, records, clock }) => {
    const unproven = { email: 'own@example.com', emailVerified: false, emailProvenAt: null };
    const { id } = await signUp(stores, records, unproven);
    expect(await stores.users.claimEmail(id, 'own@example.com')).toBe('claimed');
    expect(await stores.users.findById(id)).toMatchObject({ emailVerified: true, emailProvenAt: clock.now() });
  });

  it('an address that others only show may be claimed', async ({ stores, records }) => {
    await signUp(stores, records, { email: 'shown@example.com', loginEmail: null });
    const user = await signUp(stores, records, { email: 'shown@example.com', loginEmail: null });
    expect(await stores.users.claimEmail(user.id, 'shown@example.com')).toBe('claimed');
    expect(stored(await stores.users.findByLoginEmail('shown@example.com')).id).toBe(user.id);
  });
}

function describeDisabling(it: StoreTest): void {
  it('a user is disabled as of now, returned as it is then, and may be enabled again', async ({
    stores,
    records,
    clock,
  }) => {
    const user = await signUp(stores, records);
    clock.advance(1);
    const disabled = await stores.users.setDisabled(user.id, true);
    expect(disabled).toEqual({ ...user, disabledAt: clock.now(), updatedAt: clock.now() });
    expect(await stores.users.findById(user.id)).toEqual(disabled);
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(disabled);
    clock.advance(1);
    const enabled = await stores.users.setDisabled(user.id, false);
    expect(enabled).toEqual({ ...user, updatedAt: clock.now() });
    expect(await stores.users.findById(user.id)).toEqual(enabled);
  });

  it('of a user who is disabled already the moment stays', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const disabledAt = clock.now();
    await stores.users.setDisabled(id, true);
    clock.advance(1);
    expect(await stores.users.setDisabled(id, true)).toMatchObject({ disabledAt, updatedAt: clock.now() });
    expect(await stores.users.findById(id)).toMatchObject({ disabledAt, updatedAt: clock.now() });
  });

  it('a user who was never disabled may be enabled', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    clock.advance(1);
    expect(await stores.users.setDisabled(user.id, false)).toEqual({ ...user, updatedAt: clock.now() });
  });

  it('a missing user is not disabled, nor is anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setDisabled(records.userId(), true)).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });

  it('what the caller does to a returned user changes no stored one', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const disabled = stored(await stores.users.setDisabled(id, true));
    disabled.disabledAt?.setTime(0);
    disabled.updatedAt.setTime(0);
    expect(await stores.users.findById(id)).toMatchObject({ disabledAt: clock.now(), updatedAt: clock.now() });
  });
}

function describeRoles(it: StoreTest): void {
  it('a user gets a role and is returned with it, and nothing else changes', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    for (const role of ['admin', 'admin', 'user']) {
      clock.advance(1);
      const changed = await stores.users.setRole(user.id, role);
      expect(changed).toEqual({ ...user, role, updatedAt: clock.now() });
      expect(await stores.users.findById(user.id)).toEqual(changed);
      expect(await stores.users.findByLoginEmail(user.email)).toEqual(changed);
    }
    expect(await stores.sessions.findById(session.id)).toEqual(session);
  });

  it('any text may be a role', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    for (const role of awkwardTexts) {
      expect(await stores.users.setRole(id, role)).toMatchObject({ role });
      expect(await stores.users.findById(id)).toMatchObject({ role });
    }
  });

  it('a disabled user gets a role and stays disabled', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const disabled = stored(await stores.users.setDisabled(id, true));
    expect(await stores.users.setRole(id, 'admin')).toEqual({ ...disabled, role: 'admin' });
  });

  it('a missing user gets no role, nor does anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setRole(records.userId(), 'admin')).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeTenants(it: StoreTest): void {
  it('a user gets a tenant, or none, and their sessions stay where they are', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    for (const tenantId of ['tenant-2', 'tenant-2', null, ...awkwardTexts]) {
      clock.advance(1);
      const changed = await stores.users.setTenant(user.id, tenantId);
      expect(changed).toEqual({ ...user, tenantId, updatedAt: clock.now() });
      expect(await stores.users.findById(user.id)).toEqual(changed);
    }
    expect(await stores.sessions.findById(session.id)).toEqual(session);
  });

  it('a missing user gets no tenant, nor does anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setTenant(records.userId(), 'tenant-2')).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}
