import { describe, expect } from 'vitest';
import type { Revocation } from '../auth/sessions.ts';
import { expectRolledBack } from './in-transaction.ts';
import { compareSessions, listenTo, over } from './listen-to.ts';
import { pause } from './concurrently.ts';
import { describeRevocationTiming } from './revocation-timing.suite.ts';
import { signIn, signInOften, signUp } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';

/** Describes what the listeners of stores are told, and when. */
export function describeRevocationListeners(it: StoreTest): void {
  describe('listeners for revocations', () => {
    describeWhatIsTold(it);
    describeWhatIsNotTold(it);
    describeRevocationTiming(it);
    describeSubscriptions(it);
  });
}

function describeWhatIsTold(it: StoreTest): void {
  it('each session that a step ends is told', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third, fourth, fifth, sixth] = await signInOften(stores, records, userId);
    const told = listenTo(stores);
    await stores.sessions.revoke(first);
    expect(told.splice(0)).toEqual([over(first)]);
    await stores.sessions.revokeOwn(third, second);
    expect(told.splice(0)).toEqual([over(second)]);
    await stores.sessions.revokeOwn(third, third);
    expect(told.splice(0)).toEqual([over(third)]);
    await stores.sessions.revokeOthers(fourth);
    expect(told.splice(0).toSorted(compareSessions)).toEqual([over(fifth), over(sixth)]);
    const { id: seventh } = await signIn(stores, records, userId);
    await stores.sessions.revokeAll(userId);
    expect(told.splice(0).toSorted(compareSessions)).toEqual([over(fourth), over(seventh)]);
  });

  it('each session that a new one displaces is reported', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    clock.advance(1);
    await signIn(stores, records, userId);
    const told = listenTo(stores);
    await stores.sessions.create(records.session(userId), { maxActive: 2 });
    expect(told.toSorted(compareSessions)).toEqual([over(first.id), over(second.id)]);
  });

  it('each session whose ver a step raises is told with the lowest that is good', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const told = listenTo(stores);
    await stores.sessions.setTenant(second.id, 'tenant-1');
    await stores.sessions.setTenant(second.id, 'tenant-1');
    expect(told.splice(0)).toEqual([
      { sessionId: second.id, lowestVer: 1 },
      { sessionId: second.id, lowestVer: 2 },
    ]);
    await stores.sessions.raiseVer(userId);
    expect(told.splice(0).toSorted(compareSessions)).toEqual([
      { sessionId: first.id, lowestVer: 1 },
      { sessionId: second.id, lowestVer: 3 },
    ]);
  });
}

function describeWhatIsNotTold(it: StoreTest): void {
  it('steps that end no session and raise no ver tell nothing', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const told = listenTo(stores);
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
      await stores.sessions.raiseVer(userId);
      await stores.sessions.revokeAll(userId);
    }
    expect(told).toEqual([]);
  });

  it('a session that has ended is told no more, whatever is tried on it', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    const revoked = await signIn(stores, records, userId);
    await stores.sessions.revoke(revoked.id);
    const current = await signIn(stores, records, userId);
    clock.advance(1000);
    const told = listenTo(stores);
    for (const { id } of [over, revoked]) {
      await stores.sessions.revoke(id);
      await stores.sessions.setTenant(id, 'tenant-1');
      await stores.sessions.revokeOwn(current.id, id);
      await stores.sessions.revokeOwn(id, current.id);
      await stores.sessions.revokeOthers(id);
    }
    await stores.sessions.revokeOthers(current.id);
    await stores.sessions.create(records.session(userId), { maxActive: 2 });
    clock.advance(1);
    expect(await stores.sessions.prune({ before: clock.now(), limit: 100 })).toBe(2);
    expect(told).toEqual([]);
  });
}

function describeSubscriptions(it: StoreTest): void {
  it('each listener is told until it unsubscribes', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third] = await signInOften(stores, records, userId);
    const heard: string[] = [];
    const [stop, stopOther] = ['one', 'other'].map((name) =>
      stores.onRevoked(({ sessionId }) => void heard.push(`${name} ${sessionId}`)),
    );
    await stores.sessions.revoke(first);
    expect(heard.splice(0).toSorted()).toEqual([`one ${first}`, `other ${first}`]);
    stop?.();
    stop?.();
    await stores.sessions.revoke(second);
    expect(heard.splice(0)).toEqual([`other ${second}`]);
    stopOther?.();
    await stores.sessions.revoke(third);
    expect(heard).toEqual([]);
  });

  it('a function that listens twice is told as often as it still does', async ({ stores, records }) => {
    const [first, second] = await signInOften(stores, records, (await signUp(stores, records)).id);
    const told: Revocation[] = [];
    const listener = (revocation: Revocation): void => void told.push(revocation);
    const stops = [stores.onRevoked(listener), stores.onRevoked(listener)];
    await stores.sessions.revoke(first);
    expect(told.splice(0)).toEqual([over(first), over(first)]);
    stops[0]?.();
    await stores.sessions.revoke(second);
    expect(told).toEqual([over(second)]);
  });

  it('a listener may unsubscribe while it is told, and the others go on', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first] = await signInOften(stores, records, userId);
    const told: Revocation[] = [];
    const stop = stores.onRevoked((revocation) => {
      told.push(revocation);
      stop();
    });
    const others = listenTo(stores);
    await stores.sessions.revokeOthers(first);
    expect(told).toHaveLength(1);
    expect(others).toHaveLength(5);
  });

  it('what other processes are told is true, where they are told at all', async ({ stores, records, processes }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third] = await signInOften(stores, records, userId);
    const told = processes.map(listenTo);
    await stores.sessions.revoke(first);
    await stores.sessions.setTenant(third, 'tenant-1');
    await expectRolledBack(stores, async (inside) => inside.sessions.revoke(second));
    await pause(50);
    const happened = [over(first), { sessionId: third, lowestVer: 1 }];
    for (const revocation of told.flat()) expect(happened).toContainEqual(revocation);
  });
}
