import { type SessionRecord, type Stores, toRefreshTokenHash, type UserId } from '@x/store';
import { expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store rotates refresh tokens, and finds sessions by them. */
export function describeSessionRotation(it: StoreTest): void {
  describeChain(it);
  describeHashes(it);
}

function describeChain(it: StoreTest): void {
  it('makes the current token the previous one, and records the activity', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    clock.advance(1);
    const now = clock.now();
    const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash(session.id) };
    const rotated = await stores.sessions.rotate(session.id, tokens);
    expect(rotated).toEqual({
      ...session,
      ...{ refreshTokenHash: tokens.nextHash, previousTokenHash: tokens.expectedHash },
      ...{ generation: 1, rotatedAt: now, lastActiveAt: now },
    });
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  it('finds a token as current, then as previous, then not at all', async ({ stores, records }) => {
    const { id, refreshTokenHash: first } = await signIn(stores, records, (await signUp(stores, records)).id);
    const [second, third] = [records.hash(id), records.hash(id)];
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

  it('does not rotate with another token than the current one', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash(session.id) };
    const rotated = stored(await stores.sessions.rotate(session.id, tokens));
    clock.advance(1);
    for (const expectedHash of [tokens.expectedHash, tokens.nextHash.toUpperCase(), '', records.hash(session.id)]) {
      expect(await stores.sessions.rotate(session.id, { expectedHash, nextHash: records.hash(session.id) })).toBeNull();
    }
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  it('does not rotate a session with the token of another, nor a missing one', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, id), await signIn(stores, records, id)];
    const tokens = { expectedHash: second.refreshTokenHash, nextHash: records.hash(first.id) };
    expect(await stores.sessions.rotate(first.id, tokens)).toBeNull();
    expect(await stores.sessions.rotate(records.sessionId(), tokens)).toBeNull();
    for (const session of [first, second]) expect(await stores.sessions.findById(session.id)).toEqual(session);
  });

  it('rotates a session until the millisecond before it expires', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const session = await signIn(stores, records, (await signUp(stores, records)).id, { expiresAt });
    clock.advance(999);
    const nextHash = records.hash(session.id);
    const rotated = await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    expect(rotated).toMatchObject({ generation: 1, expiresAt });
    clock.advance(1);
    expect(
      await stores.sessions.rotate(session.id, { expectedHash: nextHash, nextHash: records.hash(session.id) }),
    ).toBeNull();
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
  });

  it('does not rotate a revoked session, but still finds it by both tokens', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    const nextHash = records.hash(session.id);
    await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    const revoked = await stores.sessions.revoke(session.id);
    expect(
      await stores.sessions.rotate(session.id, { expectedHash: nextHash, nextHash: records.hash(session.id) }),
    ).toBeNull();
    expect(await stores.sessions.findByRefreshHash(nextHash)).toEqual(revoked);
    expect(await stores.sessions.findByPreviousHash(session.refreshTokenHash)).toEqual(revoked);
  });

  it('still finds an expired session by both tokens', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const session = await signIn(stores, records, (await signUp(stores, records)).id, { expiresAt });
    const nextHash = records.hash(session.id);
    const rotated = await stores.sessions.rotate(session.id, { expectedHash: session.refreshTokenHash, nextHash });
    clock.advance(1000);
    expect(await stores.sessions.findById(session.id)).toEqual(rotated);
    expect(await stores.sessions.findByRefreshHash(nextHash)).toEqual(rotated);
    expect(await stores.sessions.findByPreviousHash(session.refreshTokenHash)).toEqual(rotated);
  });
}

function describeHashes(it: StoreTest): void {
  it('forgets the previous token of a session only while the current one is still the given one', async ({
    stores,
    records,
  }) => {
    const { id, refreshTokenHash: first } = await signIn(stores, records, (await signUp(stores, records)).id);
    const second = records.hash(id);
    const rotated = stored(await stores.sessions.rotate(id, { expectedHash: first, nextHash: second }));
    for (const [session, hash] of [[id, first] as const, [records.sessionId(), second] as const]) {
      await stores.sessions.forgetPreviousToken(session, hash);
    }
    expect(await stores.sessions.findById(id)).toEqual(rotated);
    await stores.sessions.forgetPreviousToken(id, second);
    expect(await stores.sessions.findById(id)).toEqual({ ...rotated, previousTokenHash: null });
    expect(await stores.sessions.findByPreviousHash(first)).toBeNull();
  });

  it('finds and rotates tokens with the same digest in their own sessions', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const start = async (): Promise<SessionRecord> => {
      const id = records.sessionId();
      return signIn(stores, records, userId, { id, refreshTokenHash: toRefreshTokenHash(id, 'one digest') });
    };
    const [first, second] = [await start(), await start()];
    const tokens = { expectedHash: first.refreshTokenHash, nextHash: toRefreshTokenHash(first.id, 'another') };
    expect(await stores.sessions.rotate(second.id, tokens)).toBeNull();
    const rotated = stored(await stores.sessions.rotate(first.id, tokens));
    expect(await stores.sessions.findByRefreshHash(first.refreshTokenHash)).toBeNull();
    expect(await stores.sessions.findByPreviousHash(first.refreshTokenHash)).toEqual(rotated);
    expect(await stores.sessions.findByRefreshHash(second.refreshTokenHash)).toEqual(second);
    expect(await stores.sessions.findByPreviousHash(second.refreshTokenHash)).toBeNull();
  });

  it('finds and rotates nothing with a hash that names another session, or none', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [one, other] = [
      await signInAndRotate(stores, records, userId),
      await signInAndRotate(stores, records, userId),
    ];
    const digests = [one, other].map(digestsOf);
    const texts = ['', '.', 'null', `${one.id}`, `${one.id}.`, `${one.id}.null`, '%.%', 'x'.repeat(10_240)];
    const swapped = [
      ...digestsOf(other).map((digest) => toRefreshTokenHash(one.id, digest)),
      ...digestsOf(one).map((digest) => toRefreshTokenHash(other.id, digest)),
    ];
    const unknown = digests.flat().map((digest) => toRefreshTokenHash(records.sessionId(), digest));
    const spelled = digests
      .flat()
      .flatMap((digest) => [digest, `.${digest}`, `${one.id}${digest}`, ` ${one.id}.${digest}`]);
    for (const hash of [...texts, ...swapped, ...unknown, ...spelled]) {
      expect(await stores.sessions.findByRefreshHash(hash)).toBeNull();
      expect(await stores.sessions.findByPreviousHash(hash)).toBeNull();
      for (const { id } of [one, other]) {
        expect(await stores.sessions.rotate(id, { expectedHash: hash, nextHash: records.hash(id) })).toBeNull();
      }
    }
    for (const session of [one, other]) expect(await stores.sessions.findById(session.id)).toEqual(session);
  });

  it('does not find a session that was stored with a hash of another one by either', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const named = await signIn(stores, records, userId);
    const misnamed = await signIn(stores, records, userId, { refreshTokenHash: records.hash(named.id) });
    expect(await stores.sessions.findByRefreshHash(misnamed.refreshTokenHash)).toBeNull();
    expect(await stores.sessions.findByRefreshHash(named.refreshTokenHash)).toEqual(named);
  });

  it('never confuses two digests of one session', async ({ stores, records }) => {
    let session = await signIn(stores, records, (await signUp(stores, records)).id);
    const { id } = session;
    for (const text of awkwardTexts) {
      const tokens = { expectedHash: session.refreshTokenHash, nextHash: toRefreshTokenHash(id, text) };
      session = stored(await stores.sessions.rotate(id, tokens));
      for (const other of awkwardTexts) {
        const found = await stores.sessions.findByRefreshHash(toRefreshTokenHash(id, other));
        expect(found).toEqual(other === text ? session : null);
      }
    }
  });
}

async function signInAndRotate(stores: Stores, records: SampleRecords, userId: UserId): Promise<SessionRecord> {
  const { id, refreshTokenHash: expectedHash } = await signIn(stores, records, userId);
  return stored(await stores.sessions.rotate(id, { expectedHash, nextHash: records.hash(id) }));
}

function digestsOf({ id, refreshTokenHash, previousTokenHash }: SessionRecord): readonly string[] {
  return [refreshTokenHash, previousTokenHash ?? ''].map((hash) => hash.slice(id.length + 1));
}
