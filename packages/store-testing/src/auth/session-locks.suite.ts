import type { SessionWithUser, Stores, TransactionStores } from '@x/store';
import { expect } from 'vitest';
import { untilWaiting } from '../concurrently.ts';
import { whileOpen } from '../in-transaction.ts';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp, stored } from '../sign-in.ts';
import type { StoreTest, TestDatabase } from '../store-test.ts';

/** Describes how every session store locks an active session for a transaction that works for it. */
export function describeSessionLocks(it: StoreTest): void {
  describeFinding(it);
  describeHolding(it);
  describeMeetingAnEnd(it);
}

function describeFinding(it: StoreTest): void {
  it.holding(2)(
    'finds an active session with its user, inside a transaction and outside, and changes nothing',
    async ({ stores, records, clock }) => {
      const { id: userId } = await signUp(stores, records);
      const session = await signIn(stores, records, userId);
      await signIn(stores, records, userId);
      const user = await stores.users.setDisabled(userId, true);
      clock.advance(1);
      expect(await stores.sessions.lockActive(session.id)).toEqual({ session, user });
      await stores.transaction(async (inside) => {
        const moved = await inside.sessions.setTenant(session.id, 'tenant-1');
        const changed = await inside.users.setRole(userId, 'admin');
        expect(await inside.sessions.lockActive(session.id)).toEqual({ session: moved, user: changed });
        expect(await stores.sessions.findWithUser(session.id)).toEqual({ session, user });
      });
    },
  );

  it('locks no session that is revoked, expired or missing', async ({ stores, records, clock }) => {
    const { id: userId } = await signUp(stores, records);
    const revoked = await signIn(stores, records, userId);
    await stores.sessions.revoke(revoked.id);
    const over = await signIn(stores, records, userId, { expiresAt: new Date(clock.now().getTime() + 1000) });
    clock.advance(999);
    expect(await stores.sessions.lockActive(over.id)).toMatchObject({ session: over });
    clock.advance(1);
    for (const id of [revoked.id, over.id, records.sessionId()]) {
      expect(await stores.sessions.lockActive(id)).toBeNull();
      await stores.transaction(async (inside) => {
        expect(await inside.sessions.lockActive(id)).toBeNull();
        // A session that is not locked makes no other transaction wait.
        await inside.counters.add('refused', 1);
      });
    }
    expect(await stores.counters.read('refused')).toBe(3);
  });

  it('is not affected when the caller changes a record afterwards', async ({ stores, records }) => {
    const user = await signUp(stores, records);
    const session = await signIn(stores, records, user.id);
    const locked = stored(await stores.sessions.lockActive(session.id));
    locked.session.expiresAt.setTime(0);
    locked.user.createdAt.setTime(0);
    expect(await stores.sessions.lockActive(session.id)).toEqual({ session, user });
  });
}

function describeHolding(it: StoreTest): void {
  it.holding(11)(
    'lets no other transaction end or change a locked session or its user, and all read both',
    async ({ database, stores, records, processes }) => {
      const user = await signUp(stores, records);
      const session = await signIn(stores, records, user.id);
      const found = { session, user };
      const lock = async (inside: TransactionStores): Promise<unknown> =>
        expect(await inside.sessions.lockActive(session.id)).toEqual(found);
      const { started } = await whileOpen(stores, lock, async () => {
        let done = 0;
        const changes = toChanges(processes, records, found).map(async (change) => {
          await change();
          done += 1;
        });
        await untilWaiting(database, 9);
        expect(done).toBe(0);
        for (const each of [stores, ...processes]) expect(await each.sessions.findWithUser(session.id)).toEqual(found);
        return { started: Promise.all(changes) };
      });
      await started;
      expect(await stores.users.findById(user.id)).toBeNull();
    },
  );

  it('lets the transaction that locked a session change and end it', async ({ stores, records }) => {
    const { id: userId } = await signUp(stores, records);
    const session = await signIn(stores, records, userId);
    await stores.transaction(async (inside) => {
      await inside.sessions.lockActive(session.id);
      await inside.users.setPassword(userId, 'new');
      await inside.sessions.setTenant(session.id, 'tenant-1');
      expect(await inside.sessions.lockActive(session.id)).toMatchObject({
        ...{ session: { tenantId: 'tenant-1' }, user: { passwordHash: 'new' } },
      });
      expect(await inside.sessions.revokeAll(userId)).toEqual([session.id]);
      expect(await inside.sessions.lockActive(session.id)).toBeNull();
      expect(await inside.users.delete(userId)).toMatchObject({ id: userId });
    });
    expect(await stores.sessions.findById(session.id)).toBeNull();
  });
}

/** Makes changes of a session and its user, all of which can be made one after another. The last deletes the user. */
function toChanges(
  [first, second, third, fourth]: readonly [Stores, Stores, Stores, Stores],
  records: SampleRecords,
  { session: { id, refreshTokenHash }, user }: SessionWithUser,
): readonly (() => Promise<unknown>)[] {
  const tokens = { expectedHash: refreshTokenHash, nextHash: records.hash(id) };
  return [
    async () => first.sessions.rotate(id, tokens),
    async () => second.sessions.revoke(id),
    async () => third.sessions.revokeAll(user.id),
    async () => fourth.sessions.revokeOthers(id),
    async () => first.users.setRole(user.id, 'admin'),
    async () => second.users.setPassword(user.id, 'new'),
    async () => third.users.claimEmail(user.id, 'next@example.com'),
    async () => fourth.transaction(async (inside) => inside.users.setDisabled(user.id, true)),
    async () => first.users.delete(user.id),
  ];
}

function describeMeetingAnEnd(it: StoreTest): void {
  it.for(['revoke', 'revokeAll', 'delete'] as const)(
    'waits for a concurrent %s, and then uses its outcome',
    async (verb, { database, stores, records, processes }) => {
      const { id: userId } = await signUp(stores, records);
      for (const isUndone of [true, false]) {
        const { id } = await signIn(stores, records, userId);
        const end = async (inside: TransactionStores): Promise<unknown> => {
          if (verb === 'revoke') return inside.sessions.revoke(id);
          return verb === 'revokeAll' ? inside.sessions.revokeAll(userId) : inside.users.delete(userId);
        };
        const { locking, ending } = await startWhileEnding({ database, stores, end, isUndone }, async () =>
          processes[0].transaction(async (inside) => inside.sessions.lockActive(id)),
        );
        await ending;
        const locked = await locking;
        expect(locked?.session.id ?? null).toBe(isUndone ? id : null);
      }
    },
  );
}

interface Ending {
  readonly database: TestDatabase;
  readonly stores: Stores;
  readonly end: (inside: TransactionStores) => Promise<unknown>;
  readonly isUndone: boolean;
}

/** Starts to lock a session while a transaction that ends it is open, which then commits or is rolled back. */
async function startWhileEnding<Locked>(
  { database, stores, end, isUndone }: Ending,
  lock: () => Promise<Locked>,
): Promise<{ readonly locking: Promise<Locked>; readonly ending: Promise<unknown> }> {
  const ended = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const transaction = stores.transaction(async (inside) => {
    await end(inside);
    ended.resolve();
    await released.promise;
    if (isUndone) throw new RangeError('no');
  });
  const ending = transaction.catch((error: unknown) => expect(error).toBeInstanceOf(RangeError));
  await ended.promise;
  const locking = lock();
  let isLocked = false;
  const noted = locking.then(() => (isLocked = true));
  try {
    await untilWaiting(database, 1);
    expect(isLocked).toBe(false);
  } finally {
    released.resolve();
  }
  await noted;
  return { locking, ending };
}
