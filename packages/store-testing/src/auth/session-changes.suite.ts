import { expect } from 'vitest';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes how session stores record proofs and second factors, move sessions to tenants, and raise `ver`. */
export function describeSessionChanges(it: StoreTest): void {
  describeAuthentication(it);
  describeTenant(it);
  describeRaisedVer(it);
  describeActiveOnly(it);
}

function describeAuthentication(it: StoreTest): void {
  it('records when and by what the user proved who they are, and changes nothing else', async ({
    stores,
    records,
    clock,
  }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    for (const method of ['provider', 'code', 'password'] as const) {
      clock.advance(1);
      const proven = await stores.sessions.setAuthenticated(session.id, method);
      expect(proven).toEqual({ ...session, authenticatedAt: clock.now(), authenticatedBy: method });
      expect(await stores.sessions.findById(session.id)).toEqual(proven);
    }
  });

  it('records a second factor at the current time as a proof by code, and changes nothing else', async ({
    stores,
    records,
    clock,
  }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    for (let count = 0; count < 2; count += 1) {
      clock.advance(1);
      const verified = await stores.sessions.setSecondFactor(session.id);
      const now = clock.now();
      expect(verified).toEqual({ ...session, secondFactorAt: now, authenticatedAt: now, authenticatedBy: 'code' });
      expect(await stores.sessions.findById(session.id)).toEqual(verified);
    }
  });
}

function describeTenant(it: StoreTest): void {
  it('moves a session to a tenant, or to none, raises ver, and changes nothing else', async ({
    stores,
    records,
    clock,
  }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    clock.advance(1);
    for (const [index, tenantId] of ['tenant-1', 'tenant-2', 'tenant-2', null].entries()) {
      const moved = await stores.sessions.setTenant(session.id, tenantId);
      expect(moved).toEqual({ ...session, tenantId, ver: index + 1 });
      expect(await stores.sessions.findById(session.id)).toEqual(moved);
    }
  });

  it('moves all sessions of a user out of a tenant that they leave, and no others', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records, { tenantId: 'left' });
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const elsewhere = await stores.sessions.setTenant((await signIn(stores, records, userId)).id, 'other');
    const stranger = await signIn(stores, records, (await signUp(stores, records, { tenantId: 'left' })).id);
    await stores.users.setTenant(userId, 'next');
    await stores.sessions.leaveTenant(userId, { from: 'left', to: 'next' });
    for (const session of [first, second]) {
      expect(await stores.sessions.findById(session.id)).toEqual({ ...session, tenantId: 'next', ver: 1 });
    }
    for (const session of [elsewhere, stranger]) {
      expect(await stores.sessions.findById(stored(session).id)).toEqual(session);
    }
    await stores.sessions.leaveTenant(userId, { from: 'other', to: null });
    expect(await stores.sessions.findById(stored(elsewhere).id)).toMatchObject({ tenantId: null, ver: 2 });
    expect(await signIn(stores, records, userId)).toMatchObject({ tenantId: 'next', ver: 0 });
  });

  it('keeps the second factor, the proof, the tenant and ver in a rotation', async ({ stores, records, clock }) => {
    const session = await signIn(stores, records, (await signUp(stores, records)).id);
    await stores.sessions.setTenant(session.id, 'tenant-1');
    const kept = await stores.sessions.setSecondFactor(session.id);
    clock.advance(1);
    const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash(session.id) };
    expect(await stores.sessions.rotate(session.id, tokens)).toMatchObject({
      secondFactorAt: kept?.secondFactorAt,
      authenticatedAt: kept?.authenticatedAt,
      authenticatedBy: 'code',
      tenantId: 'tenant-1',
      ver: 1,
    });
  });
}

function describeRaisedVer(it: StoreTest): void {
  it('raises ver by one in every active session of the user, and changes nothing else', async ({
    stores,
    records,
    clock,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const moved = stored(await stores.sessions.setTenant(second.id, 'tenant-1'));
    clock.advance(1);
    for (const raised of [1, 2]) {
      await stores.sessions.bumpTokenVersion(userId);
      expect(await stores.sessions.findById(first.id)).toEqual({ ...first, ver: raised });
      expect(await stores.sessions.findById(second.id)).toEqual({ ...moved, ver: 1 + raised });
    }
    expect(await signIn(stores, records, userId)).toMatchObject({ ver: 0 });
  });

  it('does not raise ver in ended sessions, nor in those of other users', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const stranger = await signIn(stores, records, (await signUp(stores, records)).id);
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const over = await signIn(stores, records, userId, { expiresAt });
    const active = await signIn(stores, records, userId, { expiresAt: new Date(expiresAt.getTime() + 1) });
    const { id } = await signIn(stores, records, userId);
    const revoked = stored(await stores.sessions.revoke(id));
    clock.advance(1000);
    await stores.sessions.bumpTokenVersion(userId);
    await stores.sessions.bumpTokenVersion(records.userId());
    for (const session of [stranger, over, revoked]) {
      expect(await stores.sessions.findById(session.id)).toEqual(session);
    }
    expect(await stores.sessions.findById(active.id)).toEqual({ ...active, ver: 1 });
  });
}

function describeActiveOnly(it: StoreTest): void {
  it('does not change a session that is revoked, expired or missing', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    const revoked = await stores.sessions.revoke(session.id);
    const over = await signIn(stores, records, user.id, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(1000);
    for (const id of [session.id, over.id, records.sessionId()]) {
      expect(await stores.sessions.setSecondFactor(id)).toBeNull();
      expect(await stores.sessions.setAuthenticated(id, 'password')).toBeNull();
      expect(await stores.sessions.setTenant(id, 'tenant-1')).toBeNull();
    }
    expect(await stores.sessions.findById(session.id)).toEqual(revoked);
    expect(await stores.sessions.findById(over.id)).toEqual(over);
  });

  it('treats a session as active until the millisecond before it expires', async ({ stores, records, clock }) => {
    const expiresAt = new Date(clock.now().getTime() + 1000);
    const { id, userId } = await signIn(stores, records, (await signUp(stores, records)).id, { expiresAt });
    clock.advance(999);
    expect(await stores.sessions.setSecondFactor(id)).not.toBeNull();
    const active = await stores.sessions.setTenant(id, 'tenant-1');
    expect(active).not.toBeNull();
    expect(await stores.sessions.listActive(userId)).toEqual([active]);
    expect(await stores.sessions.countActive(userId)).toBe(1);
    clock.advance(1);
    expect(await stores.sessions.listActive(userId)).toEqual([]);
    expect(await stores.sessions.countActive(userId)).toBe(0);
  });
}
