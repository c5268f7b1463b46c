import { expect } from 'vitest';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how every session store finds a session with its user, and lists those of a user. */
export function describeSessionReads(it: StoreTest): void {
  describeWithUser(it);
  describeList(it);
  describeOwnList(it);
}

function describeWithUser(it: StoreTest): void {
  it.holding(2)('finds a session with its user, both as they are now', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records, { fields: { groups: ['readers'] }, tenantId: 'home' });
    await signIn(stores, records, (await signUp(stores, records)).id);
    const { id, refreshTokenHash } = await signIn(stores, records, userId);
    await stores.sessions.setTenant(id, 'away');
    clock.advance(1);
    const user = await stores.users.setRole(userId, 'admin');
    const nextHash = records.hash(id);
    const session = await stores.sessions.rotate(id, { expectedHash: refreshTokenHash, nextHash });
    expect(await stores.sessions.findWithUser(id)).toEqual({ session, user });
    await stores.transaction(async (inside) => {
      const changed = await inside.users.setRole(userId, 'user');
      expect(await inside.sessions.findWithUser(id)).toEqual({ session, user: changed });
      expect(await stores.sessions.findWithUser(id)).toEqual({ session, user });
    });
  });

  it('keeps every text of both unchanged', async ({ stores, records }) => {
    const nulls = { loginEmail: null, emailProvenAt: null, passwordHash: null, tenantId: null };
    const user = await signUp(stores, records, { ...nulls, fields: { '😀 "$1"': "'; --" } });
    const awkward = { ipAddress: null, userAgent: "O'Hara 😀", secondFactorAt: null };
    const session = await signIn(stores, records, user.id, awkward);
    expect(await stores.sessions.findWithUser(session.id)).toEqual({ session, user });
  });

  it('finds an ended session and a disabled user, too', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1) });
    const { id } = await signIn(stores, records, userId);
    const revoked = stored(await stores.sessions.revoke(id));
    clock.advance(1);
    const user = await stores.users.setDisabled(userId, true);
    for (const session of [over, revoked]) {
      expect(await stores.sessions.findWithUser(session.id)).toEqual({ session, user });
    }
  });

  it('finds no user for a session that was not created', async ({ stores, records }) => {
    await signIn(stores, records, (await signUp(stores, records)).id);
    expect(await stores.sessions.findWithUser(records.sessionId())).toBeNull();
  });

  it('is not affected when the caller changes a record afterwards', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    const found = stored(await stores.sessions.findWithUser(session.id));
    found.session.expiresAt.setTime(0);
    found.user.createdAt.setTime(0);
    expect(await stores.sessions.findWithUser(session.id)).toEqual({ session, user });
  });
}

function describeList(it: StoreTest): void {
  it('lists the active sessions, the last active first, then by id', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const ids = [records.sessionId(), records.sessionId(), records.sessionId(), records.sessionId()];
    const [first, second, third, fourth] = ids;
    for (const id of ids.toReversed()) await signIn(stores, records, userId, { id });
    clock.advance(1);
    const rotated = stored(await stores.sessions.findById(third ?? records.sessionId()));
    const tokens = { expectedHash: rotated.refreshTokenHash, nextHash: records.hash(rotated.id) };
    await stores.sessions.rotate(rotated.id, tokens);
    clock.advance(1);
    // Neither of these is activity.
    await stores.sessions.setTenant(fourth ?? records.sessionId(), 'tenant-1');
    await stores.sessions.setSecondFactor(fourth ?? records.sessionId());
    const listed = await stores.sessions.listActive(userId);
    expect(listed.map((session) => session.id)).toEqual([third, first, second, fourth]);
  });

  it('lists and counts only active sessions of the user', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    await signIn(stores, records, (await signUp(stores, records)).id);
    const ended = await signIn(stores, records, userId);
    const active = await signIn(stores, records, userId);
    await stores.sessions.revoke(ended.id);
    expect(await stores.sessions.listActive(userId)).toEqual([active]);
    expect(await stores.sessions.countActive(userId)).toBe(1);
  });
}

function describeOwnList(it: StoreTest): void {
  it('lists for a session what is listed for its user', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    await signIn(stores, records, (await signUp(stores, records)).id);
    const ended = await signIn(stores, records, userId);
    await stores.sessions.revoke(ended.id);
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1);
      const { id } = await signIn(stores, records, userId);
      await signIn(stores, records, userId);
      const listed = await stores.sessions.listOwn(id);
      expect(listed).toHaveLength(2 * count + 2);
      expect(listed).toEqual(await stores.sessions.listActive(userId));
    }
  });

  it('lists nothing for a session that is revoked, expired or missing', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const active = await signIn(stores, records, userId);
    const revoked = await signIn(stores, records, userId);
    await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(999);
    expect(await stores.sessions.listOwn(over.id)).toEqual([active, over]);
    clock.advance(1);
    for (const id of [revoked.id, over.id, records.sessionId()]) expect(await stores.sessions.listOwn(id)).toBeNull();
    expect(await stores.sessions.listOwn(active.id)).toEqual([active]);
  });

  it.holding(2)('lists for a session in a transaction what that transaction sees', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const current = await signIn(stores, records, userId);
    await stores.transaction(async (inside) => {
      await signIn(inside, records, userId);
      expect(await inside.sessions.listOwn(current.id)).toHaveLength(2);
      expect(await stores.sessions.listOwn(current.id)).toEqual([current]);
      await inside.sessions.revoke(current.id);
      expect(await inside.sessions.listOwn(current.id)).toBeNull();
      expect(await stores.sessions.listOwn(current.id)).toEqual([current]);
    });
    expect(await stores.sessions.listOwn(current.id)).toBeNull();
  });
}
