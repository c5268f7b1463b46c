import type { SessionRecord } from '@x/store';
import { expect } from 'vitest';
import { hangTransaction } from '../hang-transaction.ts';
import { expectRolledBack } from '../in-transaction.ts';
import { listenTo, ended } from '../listen-to.ts';
import { signIn, signInOften, signUp } from '../sign-in.ts';
import { openLimited, type StoreTest } from '../store-test.ts';

/** Describes when listeners are notified of revocations: never before the commit, and not of what is rolled back. */
export function describeRevocationTiming(it: StoreTest): void {
  describeCommit(it);
  describeTransactions(it);
}

function describeCommit(it: StoreTest): void {
  it('are notified after everybody can read it, and before the call resolves', async ({
    stores,
    records,
    processes,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const [one, other] = [await signIn(stores, records, userId), await signIn(stores, records, userId)];
    const calls = [
      async () => stores.sessions.revoke(one.id),
      async () => stores.transaction(async (inside) => inside.sessions.revoke(other.id)),
      async () => stores.sessions.create(records.session(userId), { maxActive: 1 }),
      async () => stores.sessions.create(records.session(userId), { maxActive: 1 }),
    ];
    const reads: Promise<SessionRecord | null>[] = [];
    stores.onRevoked(({ sessionId }) => void reads.push(processes[0].sessions.findById(sessionId)));
    const seen: number[] = [];
    for (const call of calls) {
      await call();
      seen.push(reads.length);
    }
    expect(seen).toEqual([1, 2, 2, 3]);
    for (const session of await Promise.all(reads)) expect(session).toMatchObject({ revokedAt: expect.any(Date) });
  });

  it('are not notified of a transaction that was rolled back because it took too long', async ({
    database,
    stores,
    records,
    clock,
  }) => {
    const { id } = await signIn(stores, records, (await signUp(stores, records)).id);
    const limited = await openLimited(database, clock);
    const reported = listenTo(limited);
    const hanging = await hangTransaction(limited, async (inside, hang) => {
      await inside.sessions.revoke(id);
      await hang();
    });
    await expect(hanging.outcome).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    hanging.release();
    await hanging.isOver;
    expect(await stores.sessions.findById(id)).toMatchObject({ revokedAt: null });
    expect(reported).toEqual([]);
  });
}

function describeTransactions(it: StoreTest): void {
  it('are notified of what a transaction revoked in order, after the outermost has committed', async ({
    stores,
    records,
  }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third] = await signInOften(stores, records, userId);
    const reported = listenTo(stores);
    const reportedBefore: number[] = [];
    await stores.transaction(async (outer) => {
      await outer.sessions.setTenant(first, 'tenant-1');
      await outer.transaction(async (inner) => {
        await inner.transaction(async (innermost) => innermost.sessions.revoke(second));
        reportedBefore.push(reported.length);
        await inner.sessions.revokeOwn(third, third);
      });
      reportedBefore.push(reported.length);
      await outer.sessions.revoke(first);
      reportedBefore.push(reported.length);
    });
    expect(reportedBefore).toEqual([0, 0, 0]);
    expect(reported).toEqual([{ sessionId: first, lowestVer: 1 }, ended(second), ended(third), ended(first)]);
  });

  it('are not notified of what was rolled back, alone or with its transaction', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second, third, fourth] = await signInOften(stores, records, userId);
    const reported = listenTo(stores);
    await stores.transaction(async (outer) => {
      await outer.sessions.revoke(first);
      await expectRolledBack(outer, async (inner) => {
        await inner.sessions.revoke(second);
        await inner.transaction(async (innermost) => innermost.sessions.revoke(third));
        await inner.sessions.bumpTokenVersion(userId);
      });
      await outer.transaction(async (inner) => {
        await expectRolledBack(inner, async (innermost) => innermost.sessions.revokeAll(userId));
        await inner.sessions.revoke(fourth);
      });
    });
    expect(reported.splice(0)).toEqual([ended(first), ended(fourth)]);
    await expectRolledBack(stores, async (outer) => {
      await outer.sessions.revoke(second);
      await outer.transaction(async (inner) => inner.sessions.revoke(third));
    });
    expect(reported).toEqual([]);
    expect(await stores.sessions.findById(second)).toMatchObject({ revokedAt: null, ver: 0 });
  });

  it('are notified of a session that was created in the transaction that ended it', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const reported = listenTo(stores);
    const session = await stores.transaction(async (inside) => {
      const { id } = await signIn(inside, records, userId);
      await inside.sessions.revokeAll(userId);
      return id;
    });
    expect(reported).toEqual([ended(session)]);
  });

  it('are notified of steps that a transaction did not wait for, together with it', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const [first, second] = await signInOften(stores, records, userId);
    const reported = listenTo(stores);
    const started: Promise<unknown>[] = [];
    await stores.transaction(async (inside) => {
      started.push(
        inside.sessions.revokeOwn(second, first),
        inside.transaction(async (inner) => inner.sessions.revokeAll(userId)),
      );
    });
    expect(reported.map(({ sessionId }) => sessionId).toSorted()).toHaveLength(6);
    await Promise.all(started);
    expect(await stores.sessions.countActive(userId)).toBe(0);
  });
}
