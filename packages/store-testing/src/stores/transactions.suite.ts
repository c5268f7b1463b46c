import type { Stores, TransactionStores, UserId } from '@x/store';
import { describe, expect } from 'vitest';
import type { SampleRecords } from '../sample-records.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';
import { describeGroupCommit } from './group-commit.suite.ts';
import { describeMoments } from './moments.suite.ts';
import { describeNamedLocks } from './named-locks.suite.ts';
import { describeNestedTransactions } from './nested-transactions.suite.ts';
import { describeTransactionLimit } from './transaction-limit.suite.ts';
import { describeTransactionWaiting } from './transaction-waiting.suite.ts';

/** Describes what every transaction does. */
export function describeTransactions(it: StoreTest): void {
  describe('a transaction', () => {
    describeOutcome(it);
    describeIsolation(it);
    describeEnd(it);
    describeNestedTransactions(it);
    describeGroupCommit(it);
    describeNamedLocks(it);
    describeMoments(it);
    describeTransactionWaiting(it);
    describeTransactionLimit(it);
  });
}

function describeOutcome(it: StoreTest): void {
  it('commits all steps of work that resolves, and returns its result', async ({ stores, records, processes }) => {
    const user = await stores.transaction((inside) => registerEverywhere(inside, records));
    for (const reader of [stores, processes[0]]) {
      expect(await reader.users.findById(user.id)).toEqual(user);
      expect(await reader.sessions.countActive(user.id)).toBe(1);
      expect(await listEvents(reader, user.id)).toEqual(['sign_in.succeeded', 'sign_in.succeeded', 'user.created']);
      expect(await reader.counters.read('registrations')).toBe(1);
    }
    expect(await stores.rateLimits.check('register', 10, 60_000)).toMatchObject({ remaining: 8 });
  });

  it('commits no step of work that throws, and rethrows its error', async ({ stores, records }) => {
    const hookError = new Error('The hook failed.');
    const user = records.user();
    const failing = stores.transaction(async (inside) => {
      await registerEverywhere(inside, records, user);
      throw hookError;
    });
    await expect(failing).rejects.toBe(hookError);
    await expectUntouched(stores, user);
    expect(await stores.rateLimits.check('register', 10, 60_000)).toMatchObject({ remaining: 9 });
    // Nothing of the failed work prevents the next.
    expect(await registerEverywhere(stores, records, user)).toMatchObject({ id: user.id });
  });

  it('rolls back changes and deletions of older rows, too', async ({ stores, records, clock }) => {
    const user = await signUp(stores, records, { passwordHash: 'old' });
    const session = await signIn(stores, records, user.id);
    await stores.events.append(records.event({ userId: user.id }));
    clock.advance(1);
    const failing = stores.transaction(async (inside) => {
      expect(await inside.users.changePassword(user.id, { expectedHash: 'old', nextHash: 'new' })).toBe(true);
      expect(await inside.users.claimEmail(user.id, 'new@example.com')).toBe('claimed');
      expect(await inside.sessions.revokeAll(user.id)).toEqual([session.id]);
      expect(await inside.events.prune({ before: clock.now(), limit: 10 })).toBe(3);
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    expect(await stores.users.findByLoginEmail(user.email)).toEqual(user);
    expect(await stores.users.findByLoginEmail('new@example.com')).toBeNull();
    expect(await stores.sessions.listActive(user.id)).toEqual([session]);
    expect(await listEvents(stores, user.id)).toEqual(['sign_in.succeeded', 'sign_in.succeeded', 'user.created']);
  });

  it('commits changes and deletions of older rows, too', async ({ stores, records, clock }) => {
    const [first, second] = [await signUp(stores, records), await signUp(stores, records)];
    const session = await signIn(stores, records, first.id);
    await stores.events.append(records.event({ userId: first.id }));
    clock.advance(1);
    await stores.transaction(async (inside) => {
      // An address changes hands, and its first holder is changed last.
      await inside.users.claimEmail(first.id, 'interim@example.com');
      await inside.users.claimEmail(second.id, first.email);
      await inside.users.claimEmail(first.id, 'last@example.com');
      await inside.sessions.revokeAll(first.id);
      await inside.events.prune({ before: clock.now(), limit: 10 });
    });
    expect(await stores.users.findByLoginEmail(first.email)).toMatchObject({ id: second.id });
    expect(await stores.users.findByLoginEmail('last@example.com')).toMatchObject({ id: first.id });
    expect(await stores.users.findByLoginEmail('interim@example.com')).toBeNull();
    expect(await stores.users.findByLoginEmail(second.email)).toBeNull();
    expect(await stores.sessions.findById(session.id)).toMatchObject({ revokedAt: clock.now() });
    expect(await stores.sessions.countActive(first.id)).toBe(0);
    expect(await listEvents(stores, first.id)).toEqual(['email.changed', 'email.changed', 'session.revoked']);
  });

  it('shows work its own steps, also on older rows', async ({ stores, records }) => {
    const user = await signUp(stores, records, { email: 'old@example.com' });
    const session = await signIn(stores, records, user.id);
    await stores.counters.add('visits', 1);
    await stores.transaction(async (inside) => {
      await inside.users.claimEmail(user.id, 'new@example.com');
      expect(await inside.users.findByLoginEmail('old@example.com')).toBeNull();
      expect(await inside.users.findByLoginEmail('new@example.com')).toMatchObject({ id: user.id });
      const second = await signIn(inside, records, user.id);
      const tokens = { expectedHash: session.refreshTokenHash, nextHash: records.hash(session.id) };
      const rotated = await inside.sessions.rotate(session.id, tokens);
      expect(await inside.sessions.findByRefreshHash(tokens.expectedHash)).toBeNull();
      expect(await inside.sessions.findByPreviousHash(tokens.expectedHash)).toEqual(rotated);
      expect(await inside.sessions.revokeOthers(second.id)).toEqual([session.id]);
      expect(await inside.sessions.listActive(user.id)).toEqual([second]);
      expect(await inside.counters.add('visits', 1)).toBe(2);
    });
    expect(await stores.counters.read('visits')).toBe(2);
    expect(await stores.sessions.countActive(user.id)).toBe(1);
  });

  it('allows concurrent steps', async ({ stores }) => {
    await stores.transaction(async (inside) => {
      const sums = await Promise.all(Array.from({ length: 20 }, () => inside.counters.add('steps', 1)));
      expect(new Set(sums).size).toBe(20);
    });
    expect(await stores.counters.read('steps')).toBe(20);
  });
}

async function listEvents({ events }: TransactionStores, userId: UserId): Promise<readonly string[]> {
  const { items } = await events.listByUser(userId, { limit: 10, after: null });
  return items.map(({ type }) => type).toSorted();
}

function describeIsolation(it: StoreTest): void {
  it.holding(2)(
    'shows no other caller a step before the commit, and blocks no reads',
    async ({ stores, records, processes, clock }) => {
      const known = await signUp(stores, records, { passwordHash: 'old' });
      const session = await signIn(stores, records, known.id);
      await stores.events.append(records.event({ userId: known.id }));
      const before = await listEvents(stores, known.id);
      clock.advance(1);
      await stores.transaction(async (inside) => {
        const user = await registerEverywhere(inside, records);
        await inside.users.changePassword(known.id, { expectedHash: 'old', nextHash: 'new' });
        await inside.sessions.revokeAll(known.id);
        await inside.events.prune({ before: clock.now(), limit: 10 });
        for (const outside of [stores, ...processes]) {
          await expectUntouched(outside, user);
          expect(await outside.users.findById(known.id)).toEqual(known);
          expect(await outside.sessions.listActive(known.id)).toEqual([session]);
          expect(await outside.sessions.findByRefreshHash(session.refreshTokenHash)).toEqual(session);
          expect(await listEvents(outside, known.id)).toEqual(before);
          await outside.ping();
        }
      });
      expect(await stores.users.findById(known.id)).toMatchObject({ passwordHash: 'new' });
    },
  );

  it('sees what another one has committed meanwhile', async ({ stores, processes }) => {
    const add = (inside: TransactionStores): Promise<number> => inside.counters.add('turns', 1);
    const sums = await Promise.all([stores, ...processes].map((each) => each.transaction(add)));
    expect(sums.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });
}

function describeEnd(it: StoreTest): void {
  it('refuses calls on its stores after the commit', async ({ stores, records }) => {
    const ended = await stores.transaction(async (inside) => inside);
    await expectOver(ended, records);
  });

  it('refuses calls on its stores after it was rolled back', async ({ stores, records }) => {
    const handed: TransactionStores[] = [];
    const failing = stores.transaction(async (inside) => {
      handed.push(inside);
      throw new RangeError('no');
    });
    await expect(failing).rejects.toThrow(RangeError);
    for (const ended of handed) await expectOver(ended, records);
    expect(handed).toHaveLength(1);
  });

  it('refuses calls on the stores of an inner one before the outer one ends', async ({ stores, records }) => {
    await stores.transaction(async (outer) => {
      const ended = await outer.transaction(async (inner) => inner);
      await expectOver(ended, records);
      await outer.counters.add('outer', 1);
    });
    expect(await stores.counters.read('outer')).toBe(1);
  });
}

async function expectOver(ended: TransactionStores, records: SampleRecords): Promise<void> {
  const calls: readonly (() => Promise<unknown>)[] = [
    () => ended.users.findById(records.userId()),
    () => ended.users.create(records.user({ email: 'late@example.com' })),
    () => ended.sessions.countActive(records.userId()),
    () => ended.sessions.revokeAll(records.userId()),
    () => ended.rateLimits.check('late', 1, 1000),
    () => ended.events.append(records.event()),
    () => ended.events.listByTenant('tenant-1', { limit: 1, after: null }),
    () => ended.counters.read('late'),
    () => ended.counters.add('late', 1),
    () => ended.emailVerifications.find('late'),
    () => ended.passwordResets.consume('late'),
    () => ended.oneTimeIds.claim('late', new Date(0)),
    () => ended.roleAssignments.listByUser(records.userId()),
    () => ended.hierarchy.attach({ child: { type: 'late', id: '1' }, parent: { type: 'late', id: '2' } }),
    () => ended.flags.set({ tenantId: null, name: 'late' }, true),
    () => ended.oauthAccounts.findUserId('late', 'late'),
    () => ended.subscriptions.assign({ tenantId: 'late', planName: 'pro', group: 'base' }),
    () => ended.wallets.readMany([{ tenantId: 'late', limit: 'tasks', periodStart: new Date(0) }]),
    () => ended.transaction(async () => 'late'),
  ];
  for (const call of calls) await expect(async () => call()).rejects.toThrow(TypeError);
}

/** Takes one step on every store, as a sign-up would. */
async function registerEverywhere(
  stores: TransactionStores,
  records: SampleRecords,
  user: ReturnType<SampleRecords['user']> = records.user(),
): ReturnType<typeof signUp> {
  const created = await signUp(stores, records, user);
  await signIn(stores, records, created.id);
  await stores.events.append(records.event({ userId: created.id }));
  await stores.rateLimits.check('register', 10, 60_000);
  await stores.counters.add('registrations', 1);
  return created;
}

async function expectUntouched(
  stores: Stores,
  user: Pick<Awaited<ReturnType<typeof signUp>>, 'id' | 'email'>,
): Promise<void> {
  expect(await stores.users.findById(user.id)).toBeNull();
  expect(await stores.users.findByLoginEmail(user.email)).toBeNull();
  expect(await stores.sessions.countActive(user.id)).toBe(0);
  expect((await stores.events.listByUser(user.id, { limit: 10, after: null })).items).toEqual([]);
  expect(await stores.counters.read('registrations')).toBe(0);
}
