import { expect } from 'vitest';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';
import type { StoreTest } from './store-test.ts';
import { stored } from './stored.ts';

/** Describes how every session store rotates refresh tokens. */
export function describeSessionRotation(test: StoreTest): void {
  test('a rotation makes the current token the previous one and moves the activity to now', async ({
    stores,
    records,
    clock,
  }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    clock.advance(1);
    const now = clock.now();
    const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash() };
    const rotated = await stores.sessions.rotate(session.id, tokens);
    expect(rotated).toEqual({
      ...session,
      ...{ refreshTokenHash: tokens.nextHash, previousTokenHash: tokens.expectedHash },
      ...{ generation: 1, rotatedAt: now, lastActiveAt: now },
    });
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  test('a token is found as current, then as previous, then not at all', async ({ stores, records }) => {
    const { id, refreshTokenHash: first } = await signIn(stores, records, (await signUp(stores, records)).id);
    const [second, third] = [records.hash(), records.hash()];
    const rotated = await stores.sessions.rotate(id, { expectedHash: first, nextHash: second });
    expect(await stores.sessions.findByRefreshHash(first)).toBeNull();
    expect(await stores.sessions.findByPreviousHash(first)).toEqual(rotated);
    expect(await stores.sessions.findByRefreshHash(second)).toEqual(rotated);
    const again = await stores.sessions.rotate(id, { expectedHash: second, nextHash: third });
    expect(again).toMatchObject({ generation: 2, previousTokenHash: second });
    expect(await stores.sessions.findByPreviousHash(first)).toBeNull();
    expect(await stores.sessions.findByPreviousHash(second)).toEqual(again);
    expect(await stores.sessions.findByPreviousHash(third)).toBeNull();
    expect(await stores.sessions.findByRefreshHash(third)).toEqual(again);
  });

  test('another token than the current one rotates nothing', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash() };
    const rotated = stored(await stores.sessions.rotate(session.id, tokens));
    clock.advance(1);
    for (const expectedHash of [tokens.expectedHash, tokens.nextHash.toUpperCase(), '', records.hash()]) {
      expect(await stores.sessions.rotate(session.id, { expectedHash, nextHash: records.hash() })).toBeNull();
    }
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  test("a session is not rotated by another session's token, nor a missing one by any", async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, id), await signIn(stores, records, id)];
    const tokens = { expectedHash: second.refreshTokenHash, nextHash: records.hash() };
    expect(await stores.sessions.rotate(first.id, tokens)).toBeNull();
    expect(await stores.sessions.rotate(records.sessionId(), tokens)).toBeNull();
    expect(await stores.sessions.findById(second.id)).toEqual(second);
  });

  test('a session is rotated until the millisecond before it is over', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const session = await signIn(stores, records, (await signUp(stores, records)).id, { expiresAt });
    clock.advance(999);
    const nextHash = records.hash();
    const rotated = await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    expect(rotated).toMatchObject({ generation: 1, expiresAt });
    clock.advance(1);
    expect(await stores.sessions.rotate(session.id, { expectedHash: nextHash, nextHash: records.hash() })).toBeNull();
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  test('a revoked session is not rotated, and still found by both its tokens', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const nextHash = records.hash();
    await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    const revoked = await stores.sessions.revoke(session.id);
    expect(await stores.sessions.rotate(session.id, { expectedHash: nextHash, nextHash: records.hash() })).toBeNull();
    expect(await stores.sessions.findByRefreshHash(nextHash)).toEqual(revoked);
    expect(await stores.sessions.findByPreviousHash(session.refreshTokenHash)).toEqual(revoked);
  });

  test('a session that is over is still found by both its tokens', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const session = await signIn(stores, records, (await signUp(stores, records)).id, { expiresAt });
    const nextHash = records.hash();
    const rotated = await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    clock.advance(1000);
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
    expect(await stores.sessions.findByRefreshHash(nextHash)).toEqual(rotated);
    expect(await stores.sessions.findByPreviousHash(session.refreshTokenHash)).toEqual(rotated);
  });
}
