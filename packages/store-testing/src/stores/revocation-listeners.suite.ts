import type { Revocation } from '@x/store';
import { describe, expect } from 'vitest';
import { pause } from '../concurrently.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { compareSessions, listenTo, ended } from '../listen-to.ts';
import { signIn, signInOften, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeRevocationTiming } from './revocation-timing.suite.ts';

/** Describes the revocations of which listeners are notified, and when. */
export function describeRevocationListeners(it: StoreTest): void {
  describe('listeners for revocations', () => {
    describeNotified(it);
    describeNotNotified(it);
    describeRevocationTiming(it);
    describeSubscriptions(it);
  });
}

function describeNotified(it: StoreTest): void {
  it('are notified of each session that a step ends', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third, fourth, fifth, sixth] = await signInOften(stores, records, userId);
    const reported = listenTo(stores);
    await stores.sessions.revoke(first);
    expect(reported.splice(0)).toEqual([ended(first)]);
    await stores.sessions.revokeOwn(third, second);
    expect(reported.splice(0)).toEqual([ended(second)]);
    await stores.sessions.revokeOwn(third, third);
    expect(reported.splice(0)).toEqual([ended(third)]);
    await stores.sessions.revokeOthers(fourth);
    expect(reported.splice(0).toSorted(compareSessions)).toEqual([ended(fifth), ended(sixth)]);
    const { id: seventh } = await signIn(stores, records, userId);
    await stores.sessions.revokeAll(userId);
    expect(reported.splice(0).toSorted(compareSessions)).toEqual([ended(fourth), ended(seventh)]);
  });

  it('are notified of each session that a new one displaces', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    clock.advance(1);
    await signIn(stores, records, userId);
    const reported = listenTo(stores);
    await stores.sessions.create(records.session(userId), { maxActive: 2 });
    expect(reported.toSorted(compareSessions)).toEqual([ended(first.id), ended(second.id)]);
  });

  it('are notified of each session whose ver is raised, with the lowest valid one', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const reported = listenTo(stores);
    await stores.sessions.setTenant(second.id, 'tenant-1');
    await stores.sessions.setTenant(second.id, 'tenant-1');
    expect(reported.splice(0)).toEqual([
      { sessionId: second.id, lowestVer: 1 },
      { sessionId: second.id, lowestVer: 2 },
    ]);
    await stores.sessions.bumpTokenVersion(userId);
    expect(reported.splice(0).toSorted(compareSessions)).toEqual([
      { sessionId: first.id, lowestVer: 1 },
      { sessionId: second.id, lowestVer: 3 },
    ]);
  });
}

function describeNotNotified(it: StoreTest): void {
  it('are not notified of steps that end no session and raise no ver', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const reported = listenTo(stores);
    const { id, refreshTokenHash } = await signIn(stores, records, user.id);
    await stores.sessions.create(records.session(user.id), { maxActive: 2, expectedPasswordHash: 'old' });
    await stores.sessions.create(records.session(user.id), { maxActive: 2 });
    await stores.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash: records.hash(id) });
    await stores.sessions.setSecondFactor(id);
    await stores.users.setRole(user.id, 'admin');
    await stores.users.setDisabled(user.id, true);
    const stranger = await signIn(stores, records, (await signUp(stores, records)).id);
    await stores.sessions.revokeOthers(stranger.id);
    expect(await stores.sessions.revokeOwn(stranger.id, id)).toEqual({ outcome: 'not_found' });
    for (const userId of [records.userId(), (await signUp(stores, records)).id]) {
      await stores.sessions.bumpTokenVersion(userId);
      await stores.sessions.revokeAll(userId);
    }
    expect(reported).toEqual([]);
  });

  it('are not notified of a session that has already ended', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    const revoked = await signIn(stores, records, userId);
    await stores.sessions.revoke(revoked.id);
    const current = await signIn(stores, records, userId);
    clock.advance(1000);
    const reported = listenTo(stores);
    await stores.sessions.revoke(revoked.id);
    for (const { id } of [over, revoked]) {
      await stores.sessions.setTenant(id, 'tenant-1');
      await stores.sessions.revokeOwn(current.id, id);
      await stores.sessions.revokeOwn(id, current.id);
      await stores.sessions.revokeOthers(id);
    }
    await stores.sessions.revokeOthers(current.id);
    await stores.sessions.create(records.session(userId), { maxActive: 2 });
    clock.advance(1);
    expect(await stores.sessions.prune({ before: clock.now(), limit: 100 })).toBe(2);
    expect(reported).toEqual([]);
  });
}

function describeSubscriptions(it: StoreTest): void {
  it('are notified until they unsubscribe', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third] = await signInOften(stores, records, userId);
    const notified: string[] = [];
    const [stop, stopOther] = ['one', 'other'].map((name) =>
      stores.onRevoked(({ sessionId }) => void notified.push(`${name} ${sessionId}`)),
    );
    await stores.sessions.revoke(first);
    expect(notified.splice(0).toSorted()).toEqual([`one ${first}`, `other ${first}`]);
    stop?.();
    stop?.();
    await stores.sessions.revoke(second);
    expect(notified.splice(0)).toEqual([`other ${second}`]);
    stopOther?.();
    await stores.sessions.revoke(third);
    expect(notified).toEqual([]);
  });

  it('are called as often as they are still subscribed', async ({ stores, records }) => {
    const [first, second] = await signInOften(stores, records, (await signUp(stores, records)).id);
    const reported: Revocation[] = [];
    const listener = (revocation: Revocation): void => void reported.push(revocation);
    const stops = [stores.onRevoked(listener), stores.onRevoked(listener)];
    await stores.sessions.revoke(first);
    expect(reported.splice(0)).toEqual([ended(first), ended(first)]);
    stops[0]?.();
    await stores.sessions.revoke(second);
    expect(reported).toEqual([ended(second)]);
  });

  it('may unsubscribe while they are notified, without affecting others', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first] = await signInOften(stores, records, userId);
    const reported: Revocation[] = [];
    const stop = stores.onRevoked((revocation) => {
      reported.push(revocation);
      stop();
    });
    const others = listenTo(stores);
    await stores.sessions.revokeOthers(first);
    expect(reported).toHaveLength(1);
    expect(others).toHaveLength(5);
  });

  it('are notified correctly of steps of other processes, if at all', async ({ stores, records, processes }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third] = await signInOften(stores, records, userId);
    const reported = processes.map(listenTo);
    await stores.sessions.revoke(first);
    await stores.sessions.setTenant(third, 'tenant-1');
    await expectRolledBack(stores, async (inside) => inside.sessions.revoke(second));
    await pause(50);
    const happened = [ended(first), { sessionId: third, lowestVer: 1 }];
    for (const revocation of reported.flat()) expect(happened).toContainEqual(revocation);
  });
}
