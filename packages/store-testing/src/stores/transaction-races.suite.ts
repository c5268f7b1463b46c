import { expect } from 'vitest';
import { concurrently } from '../concurrently.ts';
import { signIn, signUp } from '../sign-in.ts';
import type { StoreTest } from '../store-test.ts';

/** Describes what is guaranteed while several processes run transactions at once. */
export function describeTransactionRaces(it: StoreTest): void {
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
      const { items } = await stores.events.listByUser(userId, { limit: 10, after: null });
      // Those of the user, of the session, and the one that is appended.
      expect(items).toHaveLength(session ? 3 : 0);
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
