import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { UserId } from '@x/store';
import { awkwardTexts, jsonObject } from '../awkward-values.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeAccountChanges } from './account-changes.suite.ts';
import { describeUserDeletion } from './user-deletion.suite.ts';

/** Describes the changes of a user: passwords, claimed and proven addresses, disabling, roles, fields, deletion. */
export function describeUserChanges(it: StoreTest): void {
  describe('a change of a user', () => {
    describePasswords(it);
    describeEmailClaims(it);
    describeDisabling(it);
    describeRoles(it);
    describeTenants(it);
    describeUnfinished(it);
    describeFields(it);
    describeAccountChanges(it);
    describeUserDeletion(it);
  });
}

function describeUnfinished(it: StoreTest): void {
  it('begins a reclaim without a password, which ends when the address is proven', async ({
    stores,
    records,
    clock,
  }) => {
    const user = await signUp(stores, records, { emailVerified: false, emailProvenAt: null });
    clock.advance(1);
    const reclaimed = {
      ...user,
      passwordHash: null,
      emailVerified: true,
      unfinished: 'reclaim',
      updatedAt: clock.now(),
    };
    expect(await stores.users.startReclaim(user.id)).toEqual(reclaimed);
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(reclaimed);
    expect(await stores.users.setRole(user.id, 'admin')).toMatchObject({ unfinished: 'reclaim' });
    expect(await stores.users.proveEmail(user.id, 'other@example.com')).toBeNull();
    expect(await stores.users.listUnfinished({ after: null, limit: 10 })).toHaveLength(1);
    clock.advance(1);
    const proven = { unfinished: null, emailProvenAt: clock.now(), passwordHash: null };
    expect(await stores.users.proveEmail(user.id, user.email)).toMatchObject(proven);
    expect(await stores.users.listUnfinished({ after: null, limit: 10 })).toEqual([]);
  });

  it('begins a deletion, after which the user cannot sign in and others can have the address', async ({
    stores,
    records,
    processes,
    clock,
  }) => {
    const user = await signUp(stores, records);
    clock.advance(1);
    const now = clock.now();
    const rest = { passwordHash: null, loginEmail: null, disabledAt: now, unfinished: 'deletion', updatedAt: now };
    expect(await stores.users.startDeletion(user.id)).toEqual({ ...user, ...rest });
    expect(await processes[0].users.findByLoginEmail(user.email)).toBeNull();
    expect(await stores.sessions.create(records.session(user.id), { maxActive: 50 })).toBeNull();
    expect(await stores.users.proveEmail(user.id, user.email)).toMatchObject({ unfinished: 'deletion' });
    const next = await signUp(stores, records, { email: user.email });
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(next);
    await stores.users.delete(user.id);
    expect(await stores.users.listUnfinished({ after: null, limit: 10 })).toEqual([]);
  });

  it('lists the unfinished by their ids, in pages', async ({ stores, records, processes }) => {
    const users = [];
    for (let made = 0; made < 4; made += 1) users.push(await signUp(stores, records));
    const ids = users.map(({ id }) => id).toSorted();
    const [first, second, third, fourth] = ids as [UserId, UserId, UserId, UserId];
    await stores.users.startDeletion(third);
    await stores.users.startReclaim(first);
    await stores.users.startDeletion(fourth);
    const { users: listed } = processes[0];
    const list = async (after: UserId | null, limit: number): Promise<readonly UserId[]> =>
      (await listed.listUnfinished({ after, limit })).map(({ id }) => id);
    expect(await list(null, 2)).toEqual([first, third]);
    expect(await list(third, 2)).toEqual([fourth]);
    expect(await list(second, 1)).toEqual([third]);
    await expectRolledBack(stores, async (inside) => {
      await inside.users.startReclaim(second);
      await inside.users.delete(fourth);
      expect((await inside.users.listUnfinished({ after: null, limit: 10 })).map(({ id }) => id)).toEqual([
        first,
        second,
        third,
      ]);
    });
    expect(await list(null, 10)).toEqual([first, third, fourth]);
    expect(await stores.users.startReclaim(records.userId())).toBeNull();
    expect(await stores.users.startDeletion(records.userId())).toBeNull();
  });
}

function describePasswords(it: StoreTest): void {
  it('replaces a password if the current one is expected', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: 'old' });
    clock.advance(1);
    expect(await stores.users.changePassword(user.id, { expectedHash: 'old', nextHash: 'new' })).toBe(true);
    expect(await stores.users.findById(user.id)).toEqual({ ...user, passwordHash: 'new', updatedAt: clock.now() });
  });

  it('does not change a password if another one is expected', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: 'old' });
    clock.advance(1);
    for (const expectedHash of ['OLD', 'old ', '', 'new']) {
      expect(await stores.users.changePassword(user.id, { expectedHash, nextHash: 'new' })).toBe(false);
    }
    expect(await stores.users.findById(user.id)).toEqual(user);
  });

  it('sets a first password once, if none is expected', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: null });
    expect(await stores.users.changePassword(id, { expectedHash: '', nextHash: 'guess' })).toBe(false);
    expect(await stores.users.changePassword(id, { expectedHash: 'null', nextHash: 'guess' })).toBe(false);
    expect(await stores.users.changePassword(id, { expectedHash: null, nextHash: 'first' })).toBe(true);
    expect(await stores.users.changePassword(id, { expectedHash: null, nextHash: 'second' })).toBe(false);
    expect(await stores.users.findById(id)).toMatchObject({ passwordHash: 'first' });
  });

  it('does not change the password of a missing user', async ({ stores, records }) => {
    const other = await signUp(stores, records, { passwordHash: 'old' });
    const change = { expectedHash: 'old', nextHash: 'new' };
    expect(await stores.users.changePassword(records.userId(), change)).toBe(false);
    expect(await stores.users.changePassword(records.userId(), { ...change, expectedHash: null })).toBe(false);
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeEmailClaims(it: StoreTest): void {
  it('makes a claimed e-mail the address and the login key, proven now', async ({ stores, records, clock }) => {
    const unproven = { email: 'old@example.com', emailVerified: false, emailProvenAt: null };
    const user = await signUp(stores, records, unproven);
    clock.advance(1);
    const now = clock.now();
    expect(await stores.users.claimEmail(user.id, 'new@example.com')).toBe('claimed');
    const address = { email: 'new@example.com', loginEmail: 'new@example.com' };
    const claimed = { ...user, ...address, emailVerified: true, updatedAt: now };
    expect(await stores.users.findById(user.id)).toEqual(claimed);
    expect(await stores.users.findByLoginEmail('new@example.com')).toEqual(claimed);
  });

  it('frees the address that was given up', async ({ stores, records }) => {
    const mover = await signUp(stores, records, { email: 'old@example.com' });
    await stores.users.claimEmail(mover.id, 'new@example.com');
    expect(await stores.users.findByLoginEmail('old@example.com')).toBeNull();
    const next = await signUp(stores, records, { email: 'old@example.com' });
    expect(await stores.users.findByLoginEmail('old@example.com')).toEqual(next);
  });

  it('lets the transaction continue after a login e-mail was taken', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    await signUp(stores, records, { email: 'held@example.com', loginEmail: 'held@example.com' });
    await stores.transaction(async (inside) => {
      await inside.users.setRole(user.id, 'before');
      expect(await inside.users.claimEmail(user.id, 'held@example.com')).toBe('taken');
      expect(await inside.users.claimEmail(user.id, 'free@example.com')).toBe('claimed');
    });
    expect(await stores.users.findById(user.id)).toMatchObject({ role: 'before', email: 'free@example.com' });
  });

  it("refuses another user's login e-mail, and changes neither user", async ({ stores, records, clock }) => {
    const owner = await signUp(stores, records, { email: 'held@example.com' });
    const user = await signUp(stores, records);
    clock.advance(1);
    expect(await stores.users.claimEmail(user.id, 'held@example.com')).toBe('taken');
    expect(await stores.users.findById(user.id)).toEqual(user);
    expect(await stores.users.findByLoginEmail('held@example.com')).toEqual(owner);
  });

  it('claims nothing for a missing user', async ({ stores, records }) => {
    expect(await stores.users.claimEmail(records.userId(), 'free@example.com')).toBe('missing');
    expect(await stores.users.findByLoginEmail('free@example.com')).toBeNull();
    expect((await signUp(stores, records, { email: 'free@example.com' })).loginEmail).toBe('free@example.com');
  });

  it('takes an address that was proven before for a new one', async ({ stores, records, clock }) => {
    const proven = { email: 'own@example.com', emailVerified: false, emailProvenAt: clock.now() };
    const { id } = await signUp(stores, records, proven);
    expect(await stores.users.claimEmail(id, 'own@example.com')).toBe('claimed');
    expect(await stores.users.findById(id)).toMatchObject({ emailVerified: true, emailProvenAt: null });
  });

  it('lets a user claim an address that others only show', async ({ stores, records }) => {
    await signUp(stores, records, { email: 'shown@example.com', loginEmail: null });
    const user = await signUp(stores, records, { email: 'shown@example.com', loginEmail: null });
    expect(await stores.users.claimEmail(user.id, 'shown@example.com')).toBe('claimed');
    expect(stored(await stores.users.findByLoginEmail('shown@example.com')).id).toBe(user.id);
  });
}

function describeDisabling(it: StoreTest): void {
  it('disables a user as of now, returns them so, and enables them again', async ({ stores, records, clock }) => {
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

  it('keeps the moment when a disabled user is disabled again', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const disabledAt = clock.now();
    await stores.users.setDisabled(id, true);
    clock.advance(1);
    expect(await stores.users.setDisabled(id, true)).toMatchObject({ disabledAt, updatedAt: clock.now() });
    expect(await stores.users.findById(id)).toMatchObject({ disabledAt, updatedAt: clock.now() });
  });

  it('enables a user who was never disabled', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    clock.advance(1);
    expect(await stores.users.setDisabled(user.id, false)).toEqual({ ...user, updatedAt: clock.now() });
  });

  it('does not disable a missing user, nor anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setDisabled(records.userId(), true)).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });

  it('is not affected when the caller changes a returned user', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const disabled = stored(await stores.users.setDisabled(id, true));
    disabled.disabledAt?.setTime(0);
    disabled.updatedAt.setTime(0);
    expect(await stores.users.findById(id)).toMatchObject({ disabledAt: clock.now(), updatedAt: clock.now() });
  });
}

function describeRoles(it: StoreTest): void {
  it('sets a role, returns the user with it, and changes nothing else', async ({ stores, records, clock }) => {
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

  it('stores any text as a role', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    for (const role of awkwardTexts) {
      expect(await stores.users.setRole(id, role)).toMatchObject({ role });
      expect(await stores.users.findById(id)).toMatchObject({ role });
    }
  });

  it('sets the role of a disabled user, who stays disabled', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const disabled = stored(await stores.users.setDisabled(id, true));
    expect(await stores.users.setRole(id, 'admin')).toEqual({ ...disabled, role: 'admin' });
  });

  it('sets no role for a missing user, nor for anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setRole(records.userId(), 'admin')).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeTenants(it: StoreTest): void {
  it('sets a tenant, or none, and leaves existing sessions in theirs', async ({ stores, records, clock }) => {
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

  it('sets no tenant for a missing user, nor for anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setTenant(records.userId(), 'tenant-2')).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}

function describeFields(it: StoreTest): void {
  it("replaces the app's own fields, and changes nothing else", async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { fields: { nickname: 'ada', groups: ['readers'] } });
    const session = await signIn(stores, records, user.id);
    for (const fields of [{ nickname: 'lovelace' }, { groups: [] }, { nickname: null, a: { b: null } }, {}]) {
      clock.advance(1);
      const changed = await stores.users.setFields(user.id, fields);
      expect(changed).toEqual({ ...user, fields, updatedAt: clock.now() });
      expect(await stores.users.findById(user.id)).toEqual(changed);
    }
    expect(await stores.sessions.findById(session.id)).toEqual(session);
  });

  it('stores any JSON object as the fields', async ({ stores, records, rounds }) => {
    const { id } = await signUp(stores, records);
    const keepsFields = fc.asyncProperty(jsonObject, async (fields) => {
      expect(stored(await stores.users.setFields(id, fields)).fields).toEqual(fields);
      expect(stored(await stores.users.findById(id)).fields).toEqual(fields);
    });
    await fc.assert(keepsFields, { numRuns: 8 * rounds });
  });

  it('is not affected when the caller changes the fields afterwards', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const groups = ['readers'];
    const step = stores.users.setFields(id, { groups });
    groups.push('admins');
    await step;
    expect(await stores.users.findById(id)).toMatchObject({ fields: { groups: ['readers'] } });
  });

  it('sets no fields of a missing user, nor of anybody else', async ({ stores, records }) => {
    const other = await signUp(stores, records);
    expect(await stores.users.setFields(records.userId(), { nickname: 'eve' })).toBeNull();
    expect(await stores.users.findById(other.id)).toEqual(other);
  });
}
