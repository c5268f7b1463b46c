import { toRefreshTokenHash } from '@x/store';
import { expect } from 'vitest';
import { awkwardTexts } from '../awkward-values.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store stores a session: as what, on which terms, and within the cap. */
export function describeSessionCreation(it: StoreTest): void {
  describeRecord(it);
  describeContents(it);
  describeTerms(it);
  describeCap(it);
}

function describeRecord(it: StoreTest): void {
  it('starts a session at zero, at null and at the current time, and finds it as it was returned', async ({
    stores,
    records,
    clock,
  }) => {
    clock.advance(1);
    const now = clock.now();
    const user = await signUp(stores, records);
    const session = records.session(user.id);
    const created = stored(await stores.sessions.create(session, { maxActive: 1 }));
    expect(created).toEqual({
      user,
      session: {
        ...session,
        tenantId: 'tenant-1',
        ...{ previousTokenHash: null, generation: 0, ver: 0, revokedAt: null },
        ...{ createdAt: now, rotatedAt: now, lastActiveAt: now },
      },
      revoked: [],
    });
    expect(await stores.sessions.findById(session.id)).toEqual(created.session);
    expect(await stores.sessions.findByRefreshHash(session.refreshTokenHash)).toEqual(created.session);
    expect(await stores.sessions.listActive(session.userId)).toEqual([created.session]);
    expect(await stores.sessions.countActive(session.userId)).toBe(1);
  });

  it('does not find a session that was not created', async ({ stores, records }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    expect(await stores.sessions.findById(records.sessionId())).toBeNull();
    expect(await stores.sessions.findByRefreshHash('')).toBeNull();
    expect(await stores.sessions.findByRefreshHash(session.refreshTokenHash.toUpperCase())).toBeNull();
    expect(await stores.sessions.findByPreviousHash(session.refreshTokenHash)).toBeNull();
    expect(await stores.sessions.findByPreviousHash('null')).toBeNull();
    expect(await stores.sessions.listActive(records.userId())).toEqual([]);
    expect(await stores.sessions.countActive(records.userId())).toBe(0);
  });

  it('returns a new session with the current user, not with one read before', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'current', fields: { groups: ['readers'] } });
    clock.advance(1);
    await stores.users.claimEmail(id, 'new@example.com');
    const user = await stores.users.findById(id);
    const terms = { maxActive: 50, expectedPasswordHash: 'current' };
    const created = stored(await stores.sessions.create(records.session(id), terms));
    expect(created.user).toEqual(user);
    created.user.updatedAt.setTime(0);
    expect(await stores.users.findById(id)).toEqual(user);
  });

  it('is not affected when the caller changes a returned session', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const session = await signIn(stores, records, id);
    const untouched = structuredClone(session);
    session.expiresAt.setTime(0);
    session.createdAt.setTime(0);
    const [listed] = await stores.sessions.listActive(id);
    expect(listed).toEqual(untouched);
    listed?.lastActiveAt.setTime(0);
    expect(await stores.sessions.findById(session.id)).toEqual(untouched);
  });
}

function describeContents(it: StoreTest): void {
  it('keeps null fields null', async ({ stores, records }) => {
    const nulls = { ipAddress: null, userAgent: null, secondFactorAt: null };
    const { id } = await signIn(stores, records, (await signUp(stores, records, { tenantId: null })).id, nulls);
    expect(await stores.sessions.findById(id)).toMatchObject({ ...nulls, tenantId: null });
  });

  it('keeps every text of a session unchanged', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    for (const text of awkwardTexts) {
      const id = records.sessionId();
      const refreshTokenHash = toRefreshTokenHash(id, text);
      const texts = { refreshTokenHash, refreshSalt: text, ipAddress: text, userAgent: text };
      await stores.users.setTenant(user.id, text);
      await signIn(stores, records, user.id, { id, ...texts });
      expect(await stores.sessions.findByRefreshHash(refreshTokenHash)).toMatchObject({ id, ...texts, tenantId: text });
    }
  });

  it('keeps moments to the millisecond', async ({ stores, records }) => {
    const moments = {
      secondFactorAt: new Date('2025-12-31T23:59:59.999Z'),
      expiresAt: new Date('2026-02-28T12:34:56.789Z'),
    };
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id, moments);
    expect(await stores.sessions.findById(id)).toMatchObject(moments);
  });
}

function describeTerms(it: StoreTest): void {
  it('creates no session for a missing user', async ({ stores, records }) => {
    const session = records.session(records.userId());
    expect(await stores.sessions.create(session, { maxActive: 50 })).toBeNull();
    expect(await stores.sessions.create(session, { maxActive: 50, expectedPasswordHash: null })).toBeNull();
    expect(await stores.sessions.findById(session.id)).toBeNull();
  });

  it('creates no session for a disabled user until they are enabled again', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'current' });
    await stores.users.setDisabled(id, true);
    clock.advance(1);
    const terms = { maxActive: 50, expectedPasswordHash: 'current' };
    expect(await stores.sessions.create(records.session(id), { maxActive: 50 })).toBeNull();
    expect(await stores.sessions.create(records.session(id), terms)).toBeNull();
    expect(await stores.sessions.countActive(id)).toBe(0);
    const user = await stores.users.setDisabled(id, false);
    expect(await stores.sessions.create(records.session(id), terms)).toMatchObject({ user });
  });

  it('ends no session by disabling a user', async ({ stores, records }) => {
    const { id } = await signUp(stores, records);
    const session = await signIn(stores, records, id);
    await stores.users.setDisabled(id, true);
    expect(await stores.sessions.listActive(id)).toEqual([session]);
  });

  it('creates a session only with the current password, if one is expected', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'current' });
    for (const expectedPasswordHash of ['old', 'CURRENT', 'current ', '', null]) {
      expect(await stores.sessions.create(records.session(id), { maxActive: 50, expectedPasswordHash })).toBeNull();
    }
    expect(await stores.sessions.countActive(id)).toBe(0);
    const terms = { maxActive: 50, expectedPasswordHash: 'current' };
    expect(await stores.sessions.create(records.session(id), terms)).not.toBeNull();
    expect(await stores.sessions.create(records.session(id), { maxActive: 50 })).not.toBeNull();
    expect(await stores.sessions.countActive(id)).toBe(2);
  });

  it('accepts that a user has no password if none, or nothing, is expected', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: null });
    for (const expectedPasswordHash of ['', 'null', 'any']) {
      expect(await stores.sessions.create(records.session(id), { maxActive: 50, expectedPasswordHash })).toBeNull();
    }
    const terms = { maxActive: 50, expectedPasswordHash: null };
    expect(await stores.sessions.create(records.session(id), terms)).not.toBeNull();
    expect(await stores.sessions.create(records.session(id), { maxActive: 50 })).not.toBeNull();
  });

  it('revokes nothing to make room for a session that is refused', async ({ stores, records }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'current' });
    const session = await signIn(stores, records, id);
    const terms = { maxActive: 1, expectedPasswordHash: 'old' };
    expect(await stores.sessions.create(records.session(id), terms)).toBeNull();
    expect(await stores.sessions.listActive(id)).toEqual([session]);
  });
}

function describeCap(it: StoreTest): void {
  it('revokes the oldest session above the maximum', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const oldest = await signIn(stores, records, id);
    clock.advance(1);
    const second = await signIn(stores, records, id);
    clock.advance(1);
    // Activity does not make a session younger.
    await stores.sessions.rotate(oldest.id, {
      expectedHash: oldest.refreshTokenHash,
      nextHash: records.hash(oldest.id),
    });
    const created = stored(await stores.sessions.create(records.session(id), { maxActive: 2 }));
    expect(created.revoked).toEqual([oldest.id]);
    expect(await stores.sessions.findById(oldest.id)).toMatchObject({ revokedAt: clock.now() });
    const active = await stores.sessions.listActive(id);
    expect(active.map((session) => session.id)).toEqual([created.session.id, second.id]);
  });

  it('revokes all sessions above a maximum that was lowered', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const older = [];
    for (let count = 0; count < 5; count += 1) {
      older.push((await signIn(stores, records, id)).id);
      clock.advance(1);
    }
    const created = stored(await stores.sessions.create(records.session(id), { maxActive: 2 }));
    expect(created.revoked.toSorted()).toEqual(older.slice(0, 4));
    expect(await stores.sessions.countActive(id)).toBe(2);
    const last = stored(await stores.sessions.create(records.session(id), { maxActive: 1 }));
    expect(last.revoked.toSorted()).toEqual([older[4], created.session.id]);
    expect(await stores.sessions.listActive(id)).toEqual([last.session]);
  });

  it('keeps the new session even if others are as old or, by a clock set back, younger', async ({
    stores,
    records,
    clock,
  }) => {
    const { id } = await signUp(stores, records);
    for (const shift of [0, 0, 0, -1000]) {
      clock.advance(shift);
      const created = stored(await stores.sessions.create(records.session(id), { maxActive: 1 }));
      expect(await stores.sessions.listActive(id)).toEqual([created.session]);
    }
  });

  it('counts no sessions that are expired, revoked or of other users', async ({ stores, records, clock }) => {
    const { id } = await signUp(stores, records);
    const other = await signIn(stores, records, (await signUp(stores, records)).id);
    const over = await signIn(stores, records, id, { expiresAt: new Date(clock.now().getTime() + 10) });
    const revoked = await signIn(stores, records, id);
    await stores.sessions.revoke(revoked.id);
    const active = await signIn(stores, records, id);
    clock.advance(10);
    const created = stored(await stores.sessions.create(records.session(id), { maxActive: 2 }));
    expect(created.revoked).toEqual([]);
    expect(await stores.sessions.findById(active.id)).toEqual(active);
    expect(await stores.sessions.findById(over.id)).toEqual(over);
    expect(await stores.sessions.findById(other.id)).toEqual(other);
  });
}
