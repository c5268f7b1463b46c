import { expect } from 'vitest';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store ends sessions. */
export function describeSessionRevocation(it: StoreTest): void {
  describeRevoke(it);
  describeRevokeOthers(it);
  describeRevokeAll(it);
}

function describeRevoke(it: StoreTest): void {
  it('returns and finds a revoked session with the time it ended', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    clock.advance(1);
    const revoked = await stores.sessions.revoke(session.id);
    expect(revoked).toEqual({ ...session, revokedAt: clock.now() });
    expect(await stores.sessions.findById(session.id)).toEqual(revoked);
    expect(await stores.sessions.countActive(session.userId)).toBe(0);
  });

  it('revokes a session once, and never changes that time', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const revoked = await stores.sessions.revoke(session.id);
    clock.advance(1);
    expect(await stores.sessions.revoke(session.id)).toBeNull();
    expect(await stores.sessions.revoke(session.id)).toBeNull();
    expect(await stores.sessions.findById(session.id)).toEqual(revoked);
  });

  it('revokes a session that has expired, too, for servers whose clocks are behind', async ({
    stores,
    records,
    clock,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const session = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(1000);
    expect(await stores.sessions.revoke(session.id)).toEqual({ ...session, revokedAt: clock.now() });
    clock.advance(-1);
    expect(await stores.sessions.listActive(userId)).toEqual([]);
    expect(await stores.sessions.revoke(records.sessionId())).toBeNull();
  });
}

function describeRevokeOthers(it: StoreTest): void {
  it('ends all other sessions of the user, and leaves the current one as it is', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const stranger = await signIn(stores, records, (await signUp(stores, records)).id);
    const others = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const current = await signIn(stores, records, userId);
    clock.advance(1);
    const ended = await stores.sessions.revokeOthers(current.id);
    expect(ended?.toSorted()).toEqual(others.map((session) => session.id));
    for (const other of others) {
      expect(await stores.sessions.findById(other.id)).toEqual({ ...other, revokedAt: clock.now() });
    }
    expect(await stores.sessions.listActive(userId)).toEqual([current]);
    expect(await stores.sessions.findById(stranger.id)).toEqual(stranger);
    expect(await stores.sessions.revokeOthers(current.id)).toEqual([]);
  });

  it('does not return other sessions that had already ended', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const revoked = await signIn(stores, records, userId);
    const before = await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1) });
    const current = await signIn(stores, records, userId);
    clock.advance(1);
    expect(await stores.sessions.revokeOthers(current.id)).toEqual([]);
    expect(await stores.sessions.findById(revoked.id)).toEqual(before);
    expect(await stores.sessions.findById(over.id)).toEqual(over);
  });

  it('ends no other if the current session is revoked, expired or missing', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const other = await signIn(stores, records, userId);
    const revoked = await signIn(stores, records, userId);
    await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(1000);
    for (const id of [revoked.id, over.id, records.sessionId()]) {
      expect(await stores.sessions.revokeOthers(id)).toBeNull();
    }
    expect(await stores.sessions.listActive(userId)).toEqual([other]);
  });
}

function describeRevokeAll(it: StoreTest): void {
  it("ends every active session of the user, and no other user's", async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const stranger = await signIn(stores, records, (await signUp(stores, records)).id);
    const revoked = await signIn(stores, records, userId);
    const before = await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1) });
    const active = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    clock.advance(1);
    const ended = await stores.sessions.revokeAll(userId);
    expect(ended.toSorted()).toEqual(active.map((session) => session.id));
    for (const session of active) {
      expect(await stores.sessions.findById(session.id)).toEqual({ ...session, revokedAt: clock.now() });
    }
    for (const session of [stranger, before, over]) {
      expect(await stores.sessions.findById(session?.id ?? records.sessionId())).toEqual(session);
    }
    expect(await stores.sessions.countActive(userId)).toBe(0);
    expect(await stores.sessions.revokeAll(userId)).toEqual([]);
    expect(await stores.sessions.revokeAll(records.userId())).toEqual([]);
  });
}
