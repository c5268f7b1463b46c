import { expect } from 'vitest';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store ends a session for the one that asks for it. */
export function describeOwnRevocation(it: StoreTest): void {
  it('ends another session of the user now, returns it, and changes nothing else', async ({
    stores,
    records,
    clock,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const [current, other, third] = [
      await signIn(stores, records, userId),
      await signIn(stores, records, userId),
      await signIn(stores, records, userId),
    ];
    clock.advance(1);
    const session = { ...other, revokedAt: clock.now() };
    expect(await stores.sessions.revokeOwn(current.id, other.id)).toEqual({ outcome: 'revoked', session });
    expect(await stores.sessions.findById(other.id)).toEqual(session);
    expect(await stores.sessions.listActive(userId)).toEqual([current, third]);
  });

  it('lets the current session end itself', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const [current, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    clock.advance(1);
    const session = { ...current, revokedAt: clock.now() };
    expect(await stores.sessions.revokeOwn(current.id, current.id)).toEqual({ outcome: 'revoked', session });
    expect(await stores.sessions.findById(current.id)).toEqual(session);
    expect(await stores.sessions.listActive(userId)).toEqual([other]);
  });

  it("does not find a session that is revoked, expired, missing or another user's", async ({
    stores,
    records,
    clock,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const stranger = await signIn(stores, records, (await signUp(stores, records)).id);
    const revoked = await signIn(stores, records, userId);
    const before = await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    const current = await signIn(stores, records, userId);
    clock.advance(1000);
    for (const id of [stranger.id, revoked.id, over.id, records.sessionId()]) {
      expect(await stores.sessions.revokeOwn(current.id, id)).toEqual({ outcome: 'not_found' });
    }
    expect(await stores.sessions.findById(stranger.id)).toEqual(stranger);
    expect(await stores.sessions.findById(revoked.id)).toEqual(before);
    expect(await stores.sessions.findById(over.id)).toEqual(over);
    expect(await stores.sessions.findById(current.id)).toEqual(current);
  });

  it('ends nothing, not even itself, if the current session is revoked, expired or missing', async ({
    stores,
    records,
    clock,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const other = await signIn(stores, records, userId);
    const revoked = await signIn(stores, records, userId);
    const before = await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(1000);
    for (const current of [revoked.id, over.id, records.sessionId()]) {
      for (const id of [other.id, current, records.sessionId()]) {
        expect(await stores.sessions.revokeOwn(current, id)).toEqual({ outcome: 'unauthenticated' });
      }
    }
    expect(await stores.sessions.listActive(userId)).toEqual([other]);
    expect(await stores.sessions.findById(revoked.id)).toEqual(before);
    expect(await stores.sessions.findById(over.id)).toEqual(over);
  });

  it('treats both as active until the millisecond before they expire', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const long = await signIn(stores, records, userId);
    const short = [
      await signIn(stores, records, userId, { expiresAt }),
      await signIn(stores, records, userId, { expiresAt }),
      await signIn(stores, records, userId, { expiresAt }),
    ] as const;
    clock.advance(999);
    expect(await stores.sessions.revokeOwn(short[0].id, short[1].id)).toMatchObject({ outcome: 'revoked' });
    expect(await stores.sessions.revokeOwn(long.id, short[0].id)).toMatchObject({ outcome: 'revoked' });
    clock.advance(1);
    expect(await stores.sessions.revokeOwn(long.id, short[2].id)).toEqual({ outcome: 'not_found' });
    expect(await stores.sessions.revokeOwn(short[2].id, long.id)).toEqual({ outcome: 'unauthenticated' });
    expect(await stores.sessions.listActive(userId)).toEqual([long]);
  });

  it('is not affected when the caller changes the returned session', async ({ stores, records, clock }) => {
    const { id, userId } = await signIn(stores, records, (await signUp(stores, records)).id);
    const current = await signIn(stores, records, userId);
    const revocation = await stores.sessions.revokeOwn(current.id, id);
    if (revocation.outcome === 'revoked') revocation.session.revokedAt?.setTime(0);
    expect(await stores.sessions.findById(id)).toMatchObject({ revokedAt: clock.now() });
  });
}
