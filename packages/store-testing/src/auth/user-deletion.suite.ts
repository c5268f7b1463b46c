import type { TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { expectRolledBack } from '../in-transaction.ts';
import { listenTo, ended } from '../listen-to.ts';
import { signIn, signUp, enableMfa } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every user store deletes a user, and what goes with them. */
export function describeUserDeletion(it: StoreTest): void {
  it('returns a deleted user as they were, no longer finds them, and frees their address', async ({
    stores,
    records,
    processes,
  }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    expect(await stores.users.delete(user.id)).toEqual(user);
    for (const each of [stores, ...processes]) {
      expect(await each.users.findById(user.id)).toBeNull();
      expect(await each.users.findByLoginEmail(user.email)).toBeNull();
      expect((await each.users.list({ limit: 10, after: null })).items).toEqual([other]);
    }
    expect(await stores.users.delete(user.id)).toBeNull();
    const next = await signUp(stores, records, { email: user.email });
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(next);
  });

  it('deletes all sessions and tokens of the user, and no others', async ({ stores, records, clock }) => {
    const [user, other] = [await signUp(stores, records), await signUp(stores, records)];
    const kept = await signIn(stores, records, other.id);
    const expiresAt = new Date(clock.now().getTime() + 1);
    const sessions = [
      await signIn(stores, records, user.id),
      await signIn(stores, records, user.id),
      await signIn(stores, records, user.id, { expiresAt }),
    ];
    await stores.sessions.revoke(sessions[1]?.id ?? records.sessionId());
    const [theirs, others] = [records.mailToken(user.id), records.mailToken(other.id)];
    for (const token of [theirs, others]) {
      await stores.emailVerifications.replace(token);
      await stores.passwordResets.replace(token);
    }
    for (const { id } of [user, other]) await enableMfa(stores, records, id);
    clock.advance(1);
    await stores.users.delete(user.id);
    expect(await stores.mfa.find(user.id)).toBeNull();
    expect(await stores.mfa.find(other.id)).not.toBeNull();
    for (const { id, refreshTokenHash } of sessions) {
      expect(await stores.sessions.findById(id)).toBeNull();
      expect(await stores.sessions.findWithUser(id)).toBeNull();
      expect(await stores.sessions.findByRefreshHash(refreshTokenHash)).toBeNull();
      expect(await stores.sessions.lockActive(id)).toBeNull();
      expect(await stores.sessions.listOwn(id)).toBeNull();
      expect(await stores.sessions.revoke(id)).toBeNull();
    }
    expect(await stores.sessions.countActive(user.id)).toBe(0);
    expect(await stores.sessions.prune({ before: clock.now(), limit: 100 })).toBe(0);
    for (const tokens of [stores.emailVerifications, stores.passwordResets]) {
      expect(await tokens.find(theirs.tokenHash)).toBeNull();
      expect(await tokens.consume(theirs.tokenHash)).toBeNull();
      expect(await tokens.consume(others.tokenHash)).toEqual(others);
    }
    expect(await stores.sessions.listActive(other.id)).toEqual([kept]);
  });

  it('deletes the roles of the user, and no others', async ({ stores, records }) => {
    const [{ id }, other] = [await signUp(stores, records), await signUp(stores, records)];
    const resource = { type: 'project', id: '1' };
    for (const userId of [id, other.id]) await stores.roleAssignments.assign({ userId, resource, role: 'viewer' });
    await stores.users.delete(id);
    expect(await stores.roleAssignments.listByUser(id)).toEqual([]);
    const left = { userId: other.id, resource, role: 'viewer' };
    expect(await stores.roleAssignments.listByResource(resource)).toEqual([left]);
  });

  it('keeps the log of a deleted user', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const { id: sessionId } = await signIn(stores, records, userId);
    const event = await stores.events.append(records.event({ userId, sessionId }));
    await stores.users.delete(userId);
    expect((await stores.events.listByUser(userId, { limit: 10, after: null })).items).toContainEqual(event);
  });

  it('starts no session, stores no token and changes nothing for a deleted user', async ({ stores, records }) => {
    const { id, email, passwordHash } = await signUp(stores, records);
    await stores.users.delete(id);
    expect(await stores.sessions.create(records.session(id), { maxActive: 50 })).toBeNull();
    expect(await stores.passwordResets.replace(records.mailToken(id))).toBe(false);
    expect(await stores.mfa.startSetup(records.pendingMfa(id))).toBe(false);
    expect(await stores.users.changePassword(id, { expectedHash: passwordHash, nextHash: 'new' })).toBe(false);
    expect(await stores.users.setPassword(id, 'new')).toBeNull();
    expect(await stores.users.proveEmail(id, email)).toBeNull();
    expect(await stores.users.verifyEmail(id, email)).toBeNull();
    expect(await stores.users.claimEmail(id, email)).toBe('missing');
    expect(await stores.users.setRole(id, 'admin')).toBeNull();
    expect(await stores.users.setTenant(id, 'tenant-2')).toBeNull();
    expect(await stores.users.findById(id)).toBeNull();
  });

  it('notifies listeners if the sessions are revoked before, in the same transaction', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    const reported = listenTo(stores);
    const remove = async (inside: TransactionStores): Promise<void> => {
      expect(await inside.sessions.revokeAll(user.id)).toEqual([session.id]);
      expect(await inside.users.delete(user.id)).toEqual(user);
      expect(await inside.users.findById(user.id)).toBeNull();
      expect(await inside.sessions.findById(session.id)).toBeNull();
    };
    await expectRolledBack(stores, remove);
    expect(reported).toEqual([]);
    expect(await stores.sessions.listActive(user.id)).toEqual([session]);
    await stores.transaction(remove);
    expect(reported).toEqual([ended(session.id)]);
    expect(await stores.sessions.findById(session.id)).toBeNull();
  });

  it('restores everything when the transaction is rolled back', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const [active, ended] = [await signIn(stores, records, user.id), await signIn(stores, records, user.id)];
    const revoked = await stores.sessions.revoke(ended.id);
    const token = records.mailToken(user.id);
    await stores.emailVerifications.replace(token);
    await stores.passwordResets.replace(token);
    const factor = await enableMfa(stores, records, user.id);
    await expectRolledBack(stores, async (inside) => {
      await inside.users.delete(user.id);
      // Another user may have the address and the id now.
      await signUp(inside, records, { id: user.id, email: user.email, role: 'admin' });
      expect(await inside.sessions.countActive(user.id)).toBe(0);
      expect(await inside.passwordResets.find(token.tokenHash)).toBeNull();
    });
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(user);
    expect(await stores.mfa.find(user.id)).toEqual(factor);
    expect(await stores.sessions.listActive(user.id)).toEqual([active]);
    expect(await stores.sessions.findById(ended.id)).toEqual(revoked);
    expect(await stores.emailVerifications.find(token.tokenHash)).toEqual(token);
    expect(await stores.passwordResets.find(token.tokenHash)).toEqual(token);
  });
}
