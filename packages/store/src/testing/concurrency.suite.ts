import { describe, expect } from 'vitest';
import { describeAccountRaces } from './auth/account-races.suite.ts';
import { describeAccessRaces } from './access/access-races.suite.ts';
import { concurrently, times } from './concurrently.ts';
import { describeMfaRaces } from './auth/mfa-races.suite.ts';
import { describeOAuthAccountRaces } from './auth/oauth-account-races.suite.ts';
import { describeOneTimeRaces } from './auth/one-time-races.suite.ts';
import { describeSessionRaces } from './auth/session-races.suite.ts';
import { signIn, signUp } from './sign-in.ts';
import type { StoreTest } from './store-test.ts';
import { describeWalletRaces } from './access/wallet-races.suite.ts';

/** Describes what is guaranteed while several processes do the same at once. */
export function describeConcurrency(it: StoreTest): void {
  describe('a database that four processes use at once', () => {
    describeUserRaces(it);
    describeCountRaces(it);
    describeEventRaces(it);
    describeSessionRaces(it);
    describeOneTimeRaces(it);
    describeMfaRaces(it);
    describeOAuthAccountRaces(it);
    describeAccountRaces(it);
    describeAccessRaces(it);
    describeWalletRaces(it);
    describeTransactionRaces(it);
  });
}

function describeUserRaces(it: StoreTest): void {
  it('creates exactly one of 200 users with the same login e-mail', async ({ stores, records, processes }) => {
    const users = await concurrently(processes, times(200), (each) =>
      each.users.create(records.user({ email: 'one@example.com' })),
    );
    const created = users.filter((user) => user !== null);
    expect(created).toHaveLength(1);
    expect(await stores.users.findByLoginEmail('one@example.com')).toEqual(created[0]);
  });

  it('accepts exactly one of 200 changes of a password, and keeps its hash', async ({ stores, records, processes }) => {
    const { id } = await signUp(stores, records, { passwordHash: 'old' });
    const changes = await concurrently(processes, times(200), (each, index) =>
      each.users.changePassword(id, { expectedHash: 'old', nextHash: `new ${index}` }),
    );
    expect(changes.filter(Boolean)).toHaveLength(1);
    expect(await stores.users.findById(id)).toMatchObject({ passwordHash: `new ${changes.indexOf(true)}` });
  });

  it('lets exactly one of 40 users claim an address', async ({ stores, records, processes }) => {
    const users = await concurrently(processes, times(40), (each) => signUp(each, records));
    const claims = await concurrently(processes, users, async (each, user) =>
      each.users.claimEmail(user.id, 'wanted@example.com'),
    );
    expect(claims.filter((claim) => claim === 'claimed')).toHaveLength(1);
    expect(claims.filter((claim) => claim === 'taken')).toHaveLength(39);
    const winner = users[claims.indexOf('claimed')];
    expect(await stores.users.findByLoginEmail('wanted@example.com')).toMatchObject({ id: winner?.id });
  });
}

function describeCountRaces(it: StoreTest): void {
  it('allows exactly as many of 200 attempts as the limit says', async ({ processes, clock }) => {
    const verdicts = await concurrently(processes, times(200), (each) => each.rateLimits.check('key', 7, 60_000));
    const allowed = verdicts.filter((verdict) => verdict.allowed);
    expect(allowed.map((verdict) => verdict.remaining).toSorted((a, b) => a - b)).toEqual(times(7));
    const firstRefusals = verdicts.filter((verdict) => verdict.isFirstRefusal);
    expect(firstRefusals).toEqual([{ ...firstRefusals[0], allowed: false }]);
    const resetsAt = new Date(clock.now().getTime() + 60_000);
    expect(verdicts.filter((verdict) => verdict.resetsAt.getTime() !== resetsAt.getTime())).toEqual([]);
  });

  it('counts exactly the attempts that were not refunded', async ({ stores, processes }) => {
    const verdicts = await concurrently(processes, times(100), async (each, index) => {
      const verdict = await each.rateLimits.check('key', 50, 60_000);
      if (verdict.allowed && index % 2 === 0) await each.rateLimits.refund('key', 50, verdict.resetsAt);
      return verdict.allowed && index % 2 === 1;
    });
    const counted = verdicts.filter(Boolean).length;
    let free = 0;
    while ((await stores.rateLimits.check('key', 50, 60_000)).allowed) free += 1;
    expect(free).toBe(50 - counted);
  });

  it('counts all attempts after the end of a window in one new window', async ({ processes, clock }) => {
    await concurrently(processes, times(20), (each) => each.rateLimits.check('key', 3, 1000));
    clock.advance(1000);
    const verdicts = await concurrently(processes, times(100), (each) => each.rateLimits.check('key', 3, 1000));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(3);
    expect(verdicts.filter((verdict) => verdict.isFirstRefusal)).toHaveLength(1);
  });

  it('counts each of 100 ended windows in exactly one pruning', async ({ stores, processes, clock }) => {
    await concurrently(processes, times(100), (each, index) => each.rateLimits.check(`key ${index}`, 1, 1000));
    clock.advance(1000);
    const pruned = await concurrently(processes, times(8), (each) => each.rateLimits.prune({ limit: 10 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(10);
    const left = await stores.rateLimits.prune({ limit: 100 });
    expect(pruned.reduce((sum, count) => sum + count, left)).toBe(100);
  });

  it('never allows more attempts because of a concurrent pruning', async ({ processes, clock, rounds }) => {
    for (let round = 0; round < 5 * rounds; round += 1) {
      const verdicts = await concurrently(processes, times(60), async (each, index) => {
        if (index % 6 === 5) return void (await each.rateLimits.prune({ limit: 10 }));
        return each.rateLimits.check('key', 3, 1000);
      });
      expect(verdicts.filter((verdict) => verdict?.allowed)).toHaveLength(3);
      expect(verdicts.filter((verdict) => verdict?.isFirstRefusal)).toHaveLength(1);
      clock.advance(1000);
    }
  });

  it('loses none of 200 additions, and returns no sum twice', async ({ stores, processes }) => {
    const sums = await concurrently(processes, times(200), (each) => each.counters.add('visits', 1));
    expect(new Set(sums).size).toBe(200);
    expect(Math.max(...sums)).toBe(200);
    expect(await stores.counters.read('visits')).toBe(200);
  });
}

function describeEventRaces(it: StoreTest): void {
  it('lists each of 100 events once', async ({ stores, records, processes }) => {
    const userId = records.userId();
    const appended = await concurrently(processes, times(100), (each) => each.events.append(records.event({ userId })));
    const { items } = await stores.events.listByUser(userId, { limit: 1000, after: null });
    expect(items.map((event) => event.id).toSorted()).toEqual(appended.map((event) => event.id).toSorted());
  });

  it('counts each of 100 old events in exactly one pruning', async ({ stores, records, processes, clock }) => {
    const userId = records.userId();
    await concurrently(processes, times(100), (each) => each.events.append(records.event({ userId })));
    clock.advance(1);
    const before = clock.now();
    const pruned = await concurrently(processes, times(8), (each) => each.events.prune({ before, limit: 20 }));
    expect(Math.max(...pruned)).toBeLessThanOrEqual(20);
    const { items } = await stores.events.listByUser(userId, { limit: 1000, after: null });
    expect(pruned.reduce((sum, count) => sum + count, 0)).toBe(100 - items.length);
  });
}

function describeTransactionRaces(it: StoreTest): void {
  it('stores exactly one of 20 sign-ups with the same login e-mail, completely', async ({
    stores,
    records,
    processes,
  }) => {
    const userIds = Array.from({ length: 20 }, () => records.userId());
    const signUps = await concurrently(processes, userIds, async (each, id) =>
      each.transaction(async (inside) => {
        const user = await inside.users.create(records.user({ id, email: 'one@example.com' }));
        if (user === null) return null;
        await inside.events.append(records.event({ userId: user.id }));
        await inside.counters.add('sign-ups', 1);
        return signIn(inside, records, user.id);
      }),
    );
    const winners = signUps.filter((session) => session !== null);
    expect(winners).toHaveLength(1);
    for (const [index, userId] of userIds.entries()) {
      const session = signUps[index];
      expect(await stores.sessions.listActive(userId)).toEqual(session ? [session] : []);
      expect((await stores.events.listByUser(userId, { limit: 10, after: null })).items).toHaveLength(session ? 1 : 0);
    }
    expect(await stores.counters.read('sign-ups')).toBe(1);
  });

  it('stores nothing of 20 sign-ups that fail halfway', async ({ stores, records, processes }) => {
    const userIds = Array.from({ length: 20 }, () => records.userId());
    const failures = await concurrently(processes, userIds, async (each, id) =>
      each
        .transaction(async (inside) => {
          const user = await signUp(inside, records, { id, email: 'one@example.com' });
          await signIn(inside, records, user.id);
          throw new RangeError('no');
        })
        .catch((error: unknown) => error),
    );
    expect(failures.filter((failure) => failure instanceof RangeError)).toHaveLength(20);
    expect(await stores.users.findByLoginEmail('one@example.com')).toBeNull();
    for (const userId of userIds) expect(await stores.sessions.countActive(userId)).toBe(0);
  });
}
