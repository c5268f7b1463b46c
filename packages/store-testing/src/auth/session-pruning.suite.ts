import type { SessionId } from '@x/store';
import { expect } from 'vitest';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store forgets sessions that ended. */
export function describeSessionPruning(it: StoreTest): void {
  it('prunes exactly the sessions that ended before the given moment', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const at = (shift: number): Date => new Date(clock.now().getTime() + shift);
    const before = at(1000);
    const active = await signIn(stores, records, userId);
    const over = await signIn(stores, records, userId, { expiresAt: at(999) });
    const overThen = await signIn(stores, records, userId, { expiresAt: before });
    const [revoked, revokedThen] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    clock.advance(999);
    await stores.sessions.revoke(revoked.id);
    clock.advance(1);
    const kept = [await stores.sessions.revoke(revokedThen.id), overThen, active];
    clock.advance(5000);
    expect(await stores.sessions.prune({ before, limit: 100 })).toBe(2);
    for (const { id } of [over, revoked]) expect(await stores.sessions.findById(id)).toBeNull();
    for (const session of kept) {
      expect(await stores.sessions.findById(session?.id ?? records.sessionId())).toEqual(session);
    }
    expect(await stores.sessions.prune({ before, limit: 100 })).toBe(0);
  });

  it('keeps an active session even if it will expire before the given moment', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const session = await signIn(stores, records, userId, { expiresAt });
    const before = new Date(expiresAt.getTime() + 1);
    clock.advance(999);
    expect(await stores.sessions.prune({ before, limit: 100 })).toBe(0);
    expect(await stores.sessions.listActive(userId)).toEqual([session]);
    clock.advance(1);
    expect(await stores.sessions.prune({ before, limit: 100 })).toBe(1);
  });

  it('prunes in the order of the ends, at most as many as the limit', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const start = async (lifetime: number): Promise<SessionId> => {
      const expiresAt = new Date(clock.now().getTime() + lifetime);
      return (await signIn(stores, records, userId, { expiresAt })).id;
    };
    // Neither in the order of their ends, nor of their ids: the last one to be over is revoked before most.
    const [fourth, first, fifth] = [await start(40), await start(10), await start(60)];
    const [third, second] = [await start(30), await start(86_400_000)];
    clock.advance(20);
    await stores.sessions.revoke(second);
    clock.advance(1000);
    let left: readonly SessionId[] = [first, second, third, fourth, fifth];
    for (const [limit, removed] of [
      [1, 1],
      [2, 2],
      [100, 2],
      [1, 0],
    ] as const) {
      expect(await stores.sessions.prune({ before: clock.now(), limit })).toBe(removed);
      left = left.slice(removed);
      const found = await Promise.all(
        [first, second, third, fourth, fifth].map(async (id) => stores.sessions.findById(id)),
      );
      expect(found.flatMap((session) => session?.id ?? []).toSorted()).toEqual(left.toSorted());
    }
  });

  it('no longer finds a pruned session, but its user', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    const current = await signIn(stores, records, user.id);
    const { id, refreshTokenHash } = await signIn(stores, records, user.id);
    const nextHash = records.hash(id);
    await stores.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash });
    await stores.sessions.revoke(id);
    clock.advance(1);
    expect(await stores.sessions.prune({ before: clock.now(), limit: 100 })).toBe(1);
    expect(await stores.sessions.findById(id)).toBeNull();
    expect(await stores.sessions.findWithUser(id)).toBeNull();
    expect(await stores.sessions.findByRefreshHash(nextHash)).toBeNull();
    expect(await stores.sessions.findByPreviousHash(refreshTokenHash)).toBeNull();
    expect(await stores.sessions.revokeOwn(current.id, id)).toEqual({ outcome: 'not_found' });
    expect(await stores.sessions.listActive(user.id)).toEqual([current]);
    expect(await stores.users.findById(user.id)).toEqual(user);
    // Its id is free again, and with it the hashes that name it.
    const next = await signIn(stores, records, user.id, { id, refreshTokenHash: nextHash });
    expect(await stores.sessions.findByRefreshHash(nextHash)).toEqual(next);
    expect(await stores.sessions.findByPreviousHash(refreshTokenHash)).toBeNull();
  });

  it('restores pruned sessions when the transaction is rolled back', async ({ stores, records, clock }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const revoked = await stores.sessions.revoke(id);
    clock.advance(1);
    const failing = stores.transaction(async (inside) => {
      expect(await inside.sessions.prune({ before: clock.now(), limit: 100 })).toBe(1);
      expect(await inside.sessions.findById(id)).toBeNull();
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.sessions.findById(id)).toEqual(revoked);
  });
}
